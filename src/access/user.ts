import type { Permission } from './permission.ts';
import type { UserAttributes } from './user-attributes.ts';

export interface User {
  readonly id: string;
  readonly username: string; // no ':', unique ignoring case
  readonly fullName: string;
  readonly email: string;
  readonly passwordHash: string | null; // null: signs in through OpenID Connect
  /** The identity at the OpenID Connect provider, see oidc-claims.ts; null: a local account. */
  readonly externalId: string | null;
  /** Incremented by every change that must end sessions and remembered credentials: password, roles, disabling. */
  readonly credentialVersion: number;
  readonly roleIds: readonly string[];
  readonly databaseScope: DatabaseScope;
  readonly attributes: UserAttributes;
  readonly expiresAt: number | null;
  readonly disabled: boolean;
  readonly version: number;
  readonly createdAt: number;
}

export type DatabaseScope = '*' | readonly string[]; // ids

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly builtIn: boolean; // Administrator: cannot be changed or deleted
  readonly version: number;
}
