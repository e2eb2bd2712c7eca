import type { CallerIdentity } from '../catalog/caller-identity.ts';
import type { KeyLimits } from './api-key.ts';
import type { Embed } from './embed.ts';
import type { Permission } from './permission.ts';
import type { DatabaseScope, UserAttributes } from './user.ts';

/** The authenticated caller with the rights it has right now. */
export interface Principal {
  readonly userId: string;
  readonly username: string;
  readonly fullName: string;
  readonly email: string;
  readonly roleIds: readonly string[];
  readonly roleNames: readonly string[];
  readonly permissions: readonly Permission[];
  readonly databaseScope: DatabaseScope;
  readonly attributes: UserAttributes;
  readonly expiresAt: number | null;
  readonly authentication: Authentication;
}

/** How the caller authenticated. */
export type Authentication =
  | { readonly kind: 'basic' }
  | { readonly kind: 'session'; readonly sessionId: string }
  | {
      readonly kind: 'key';
      readonly keyId: string;
      readonly keyName: string;
      readonly expiresAt: number | null;
      readonly queries: readonly string[] | null; // restricted to these technical names
      readonly limits: KeyLimits | null;
      readonly hasTypedTools?: true; // over MCP, one tool for each of its queries
    }
  | { readonly kind: 'embed'; readonly embed: Embed }; // restricted to its query

/** The identity that parameters are bound to. Keys have that of their user, embeds that of their issuer. */
export const identityOf = (principal: Principal): CallerIdentity => ({
  id: principal.userId,
  name: principal.username,
  email: principal.email,
  fullName: principal.fullName,
  roles: principal.roleNames,
  attributes: principal.attributes,
});

export const has = (principal: Principal, permission: Permission): boolean => principal.permissions.includes(permission);

export const isInScope = (principal: Principal, databaseId: string): boolean =>
  principal.databaseScope === '*' || principal.databaseScope.includes(databaseId);

/** The technical names that a key is narrowed to; null: no restriction. */
export const queriesOfKey = ({ authentication }: Principal): readonly string[] | null =>
  authentication.kind === 'key' ? authentication.queries : null;

/** The credential that a request carries, not verified yet. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable' } // an Authorization header that cannot be parsed
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'embed'; readonly token: string };
