import type { CallerIdentity } from '../catalog/caller-identity.ts';
import type { SentParameter } from '../catalog/parameter.ts';
import type { KeyLimits } from './api-key.ts';
import type { Permission } from './permission.ts';
import type { DataLink, Embed, Share } from './share.ts';
import type { DatabaseScope, UserAttributes, UserKind } from './user.ts';
import type { Viewer } from './viewer.ts';

/** The authenticated caller with the rights it has right now. */
export interface Principal {
  readonly userId: string; // owns the results; a viewer has its own, see `viewerId` and `accountOf`
  readonly userKind: UserKind;
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
  | { readonly kind: 'session' }
  | {
      readonly kind: 'key';
      readonly keyId: string;
      readonly keyName: string;
      readonly expiresAt: number | null;
      readonly queries: readonly string[] | null; // restricted to these technical names
      readonly limits: KeyLimits | null;
      readonly hasTypedTools?: true; // over MCP, one tool for each of its queries
    }
  | {
      readonly kind: 'grant'; // an application that the user allowed
      readonly grantId: string;
      readonly application: string; // its name
      readonly queries: readonly string[] | null; // restricted to these technical names
      readonly expiresAt: number;
    }
  | { readonly kind: 'viewer'; readonly viewer: Viewer; readonly embed?: Embed } // an application calls for a viewer, perhaps through an embed
  | { readonly kind: 'embed'; readonly embed: Embed } // this and the next one: restricted to its query
  | { readonly kind: 'link'; readonly link: DataLink };

/** The embed or data link whose token was used; null: the caller has an account. */
export function shareOf({ authentication }: Pick<Principal, 'authentication'>): Share | null {
  if (authentication.kind === 'embed') return authentication.embed;
  return authentication.kind === 'link' ? authentication.link : null;
}

/** The embed that a caller views; null: none. */
export const embedBehind = ({ authentication }: Pick<Principal, 'authentication'>): Embed | null =>
  authentication.kind === 'embed' || authentication.kind === 'viewer' ? (authentication.embed ?? null) : null;

/** The identity that parameters are bound to: of a key that of its user, of an embed or a data link that of its issuer, of a viewer only its own, not that of its application. */
export function identityOf(principal: Principal): CallerIdentity {
  const viewer = viewerBehind(principal);
  if (viewer !== null) {
    const { sub: id, name, attributes } = viewer;
    return { id, name, email: '', fullName: '', roles: [], attributes, of: 'viewer' };
  }
  const { userId: id, username: name, email, fullName, roleNames: roles, attributes } = principal;
  return { id, name, email, fullName, roles, attributes };
}

export const viewerBehind = ({ authentication }: Principal): Viewer | null =>
  authentication.kind === 'viewer' ? authentication.viewer : null;

/** Values that are fixed for the caller, who cannot send others. */
export const fixedValuesOf = (principal: Principal): readonly SentParameter[] => viewerBehind(principal)?.values ?? [];

export const has = (principal: Principal, permission: Permission): boolean => principal.permissions.includes(permission);

export const isInScope = (principal: Principal, databaseId: string): boolean =>
  principal.databaseScope === '*' || principal.databaseScope.includes(databaseId);

/** The name of the application that the user signed in from; null: none. */
export const applicationOf = ({ authentication }: Principal): string | null =>
  authentication.kind === 'grant' ? authentication.application : null;

/** The technical names that a key, an application or a viewer is narrowed to; null: no restriction. */
export const narrowedTo = (principal: Principal): readonly string[] | null => {
  const { authentication } = principal;
  if (authentication.kind === 'key' || authentication.kind === 'grant') return authentication.queries;
  return viewerBehind(principal)?.queries ?? null;
};

/** The credential that a request carries, not verified yet. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable' } // an Authorization header that cannot be parsed
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'viewer'; readonly token: string }
  | { readonly kind: 'accessToken'; readonly token: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'embed'; readonly token: string; readonly viewer: string | null } // viewer: the token of a viewer
  | { readonly kind: 'link'; readonly token: string };
