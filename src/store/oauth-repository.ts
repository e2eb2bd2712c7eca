/** An application that an administrator registered, or that registered itself. Applications with a metadata document are not stored. */
export interface OAuthClient {
  readonly id: string; // the client_id
  readonly source: 'registered' | 'dynamic';
  readonly name: string;
  readonly metadata: Readonly<Record<string, unknown>>; // as the authorization server describes it, without the secret
  readonly secretHash: string | null; // null: a public client
  /** The queries for which it may present assertions of the company's provider; `*`: all, null: it may not. */
  readonly managed: '*' | readonly string[] | null;
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

/** What a person allowed an application. It ends with its row. */
export interface OAuthGrant {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  readonly application: string; // its name when it was allowed
  readonly queries: readonly string[] | null; // technical names; null: all of the user
  readonly isManaged: boolean; // by an assertion of the company's provider
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number;
}

/** An access token by its hash. */
export interface AccessToken {
  readonly hash: string;
  readonly grantId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What else the authorization server keeps: codes, refresh tokens, sign-ins in progress, used assertions. Found by a hash of its id. */
export interface OAuthArtifact {
  readonly kind: string;
  readonly hash: string;
  readonly grantId: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly consumedAt: number | null;
  readonly expiresAt: number;
}

export interface OAuthRepository {
  getClient(id: string): Promise<OAuthClient | null>;
  listRegistered(): Promise<readonly OAuthClient[]>; // newest first
  insertClient(client: OAuthClient): Promise<void>;
  /**
   * Removes those that registered themselves and have no grant until `most` are left: first those that were never used, the oldest first,
   * then the least recently used. Never removes `kept`. False if more remain.
   */
  limitDynamic(most: number, kept: string): Promise<boolean>;
  touchClient(id: string, at: number): Promise<void>;
  /** With its grants. False if there is no such client. */
  deleteClient(id: string): Promise<boolean>;

  insertGrant(grant: OAuthGrant): Promise<void>;
  getGrant(id: string): Promise<OAuthGrant | null>;
  /** How many users allow each application now, by its id; applications without users are left out. */
  countPeople(now: number): Promise<ReadonlyMap<string, number>>;
  listGrants(userId: string, now: number): Promise<readonly OAuthGrant[]>; // newest first, without expired ones
  hasGrants(clientId: string): Promise<boolean>;
  /** Never shortens it. False if there is no such grant. */
  prolongGrant(id: string, expiresAt: number): Promise<boolean>;
  /** With its tokens. False if there is no such grant. */
  deleteGrant(id: string): Promise<boolean>;
  deleteGrantsOf(userId: string): Promise<void>;
  touchGrants(uses: readonly { readonly id: string; readonly at: number }[]): Promise<void>;

  insertToken(token: AccessToken): Promise<void>;
  getToken(hash: string): Promise<(AccessToken & { readonly grant: OAuthGrant }) | null>;
  deleteToken(hash: string): Promise<void>;
  deleteTokensOf(grantId: string): Promise<void>;

  /** Replaces an artifact of the same id. */
  putArtifact(artifact: OAuthArtifact): Promise<void>;
  getArtifact(kind: string, hash: string): Promise<OAuthArtifact | null>;
  /** False if it is there already. */
  addArtifact(artifact: OAuthArtifact): Promise<boolean>;
  /** False if it was used before, also by another process. It is kept until it expires, so that a second use is noticed. */
  consumeArtifact(kind: string, hash: string, at: number): Promise<boolean>;
  /** False if there is none, also if another process deletes it at the same time. */
  deleteArtifact(kind: string, hash: string): Promise<boolean>;
  deleteArtifactsOf(kind: string, grantId: string): Promise<void>;
  /** Removes those that expire first until `most` are left. */
  limitArtifacts(kind: string, most: number): Promise<void>;

  /** Removes what has expired, and clients that registered themselves and were not used since `unusedSince`. */
  sweep(times: { readonly now: number; readonly unusedSince: number }): Promise<void>;
}
