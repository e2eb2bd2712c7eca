/** The viewers of applications, by the application's id and `sub`. */
export interface ViewerRepository {
  block(userId: string, sub: string, at: number): Promise<void>; // no change if it is blocked already
  unblock(userId: string, sub: string): Promise<void>;
  isBlocked(userId: string, sub: string): Promise<boolean>;
  /** Those seen last, then blocked ones that are not among them. At most `limit` of each. */
  list(userId: string, wanted: WantedViewers): Promise<readonly SeenViewer[]>;
  /** Uses of deleted applications are left out. */
  noteUses(uses: readonly { userId: string; sub: string; count: number; at: number }[]): Promise<void>;
  readLastUses(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>; // by application
  forgetUnusedSince(at: number): Promise<void>;
}

export interface WantedViewers {
  readonly limit: number;
  readonly search?: string | undefined; // in `sub`
  readonly sub?: string; // this one only
}

export interface SeenViewer {
  readonly sub: string;
  readonly calls: number;
  readonly lastUsedAt: number | null;
  readonly blockedAt: number | null;
}
