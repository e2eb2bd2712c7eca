/** A row in the form of both databases: a backup of one can be loaded into the other. */
export interface CopiedRow {
  readonly table: string;
  readonly row: Readonly<Record<string, string | number | null>>;
}

/** Reads the whole store at one moment without blocking its users, and loads it into an unused store. */
export interface MetadataCopy {
  readonly migrations: readonly string[]; // known to this version, in order
  rows(): AsyncIterable<CopiedRow>;
  /** All or nothing. Throws StoreError 'in-use' if the store has users already. */
  load(rows: AsyncIterable<CopiedRow>): Promise<void>;
  close(): Promise<void>;
}
