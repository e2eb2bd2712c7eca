/** A row of the metadata, as both stores hold it: a backup of one can be loaded into the other. */
export interface CopiedRow {
  readonly table: string;
  readonly row: Readonly<Record<string, string | number | null>>;
}

/** The whole store at one moment, without stopping those who use it; and back, into a store that nobody has used yet. */
export interface MetadataCopy {
  readonly migrations: readonly string[]; // what this version knows, in order
  rows(): AsyncIterable<CopiedRow>;
  /** All or nothing. Throws StoreError 'in-use' where the store has users already. */
  load(rows: AsyncIterable<CopiedRow>): Promise<void>;
  close(): Promise<void>;
}
