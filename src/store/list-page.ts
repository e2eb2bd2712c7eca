/** Lists are ordered by name ignoring case, then id. `cursor` is the `nextCursor` of the previous page; any other is a StoreError. */
export interface ListRequest {
  readonly limit: number;
  readonly cursor?: string;
  readonly search?: string; // part of the name, any case
}
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}
