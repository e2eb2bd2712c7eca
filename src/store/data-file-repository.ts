/** A whole result in the storage of export files, which calls of the same rows share. */
export interface DataFile {
  readonly id: string; // in the storage
  readonly size: number;
  readonly rowCount: number;
  readonly queryVersion: number;
  readonly digest: string; // of the content
  readonly etags: readonly string[]; // all of them stand for this content; the first one is sent
  readonly startedAt: number; // of the execution
  readonly completedAt: number;
}
export interface NamedDataFile {
  readonly latest: DataFile | null;
  readonly ranged: { readonly file: DataFile; readonly at: number } | null; // of which parts were read, and when last
}
export interface DataFileRepository {
  get(name: string): Promise<NamedDataFile>;
  /** Claims the right to write the next file. False while another process holds it; the holder may claim it again to extend it. */
  claim(name: string, holder: string, times: { readonly at: number; readonly until: number }): Promise<boolean>;
  release(name: string, holder: string): Promise<void>;
  keepLatest(name: string, file: DataFile, until: number): Promise<void>;
  keepRanged(name: string, file: DataFile, times: { readonly at: number; readonly until: number }): Promise<void>;
  /** Deletes the names whose time is over. */
  deleteExpired(now: number): Promise<void>;
}
