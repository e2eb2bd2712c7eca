/** Rows of one table as JSON text, in the form of both databases: a backup of one can be loaded into the other. */
export interface CopiedRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly count: number;
  readonly json: string; // an array of rows, each an array of strings, numbers and nulls in the order of `columns`
}

/** Reads the whole store at one moment without blocking its users, and loads it into an unused store. */
export interface MetadataCopy {
  readonly migrations: readonly string[]; // known to this version, in order
  rows(): AsyncIterable<CopiedRows>;
  /** Throws StoreError 'in-use' if the store has users already. */
  requireUnused(): Promise<void>;
  /** All or nothing, into an unused store. */
  load(rows: AsyncIterable<CopiedRows>): Promise<void>;
  close(): Promise<void>;
}
