import type { ListPage, ListRequest } from './list-page.ts';

/** The viewers of applications, by the application's id and `sub`. */
export interface ViewerRepository {
  block(userId: string, sub: string, at: number): Promise<void>; // no change if it is blocked already
  unblock(userId: string, sub: string): Promise<void>;
  isBlocked(userId: string, sub: string): Promise<boolean>;
  /** Null: neither seen nor blocked. */
  get(userId: string, sub: string): Promise<SeenViewer | null>;
  /** Those seen last, then blocked ones that were not seen, by `sub`. */
  list(userId: string, request: ListRequest): Promise<ListPage<SeenViewer>>;
  /** Uses of deleted applications are left out. */
  noteUses(uses: readonly { userId: string; sub: string; count: number; at: number }[]): Promise<void>;
  readLastUses(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>; // by application
  forgetUnusedSince(at: number): Promise<void>;
}

export interface SeenViewer {
  readonly sub: string;
  readonly calls: number;
  readonly lastUsedAt: number | null;
  readonly blockedAt: number | null;
}
