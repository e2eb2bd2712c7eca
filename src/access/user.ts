import type { JWK } from 'jose';
import type { CredentialOwner, FieldProblem } from '../core/errors.ts';
import type { Permission } from './permission.ts';

/** An application is an account for a program: it has keys and no password. */
export const userKinds = ['person', 'application'] as const;
export type UserKind = (typeof userKinds)[number];

/** The keys that verify an application's tokens. */
export type SigningKeys =
  | { readonly jwks: readonly JWK[] } // public keys
  | { readonly jwksUri: string }
  | { readonly sealedSecret: string };

export interface User {
  readonly id: string;
  readonly kind: UserKind;
  readonly ownerId: string | null; // the person responsible for an application
  readonly signing: SigningKeys | null; // of an application that issues viewer tokens
  readonly username: string; // no ':', unique ignoring case
  readonly fullName: string;
  readonly email: string;
  readonly passwordHash: string | null; // null: signs in through OpenID Connect, or is an application
  /** The identity at the OpenID Connect provider, see oidc.ts; null: a local account. */
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

/** The account, for the audit trail. */
export const ownerOf = ({ id, username, kind }: Pick<User, 'id' | 'username' | 'kind'>): CredentialOwner => ({
  userId: id,
  username,
  userKind: kind,
  keyName: null,
});

/** Facts about a user that queries may be bound to: `{region: "North"}` or `{region: ["North", "South"]}`. */
export type UserAttributes = Readonly<Record<string, string | readonly string[]>>;

const maxNames = 50;
const maxValues = 100;
const longestValue = 1000;
const nameForm = /^\p{L}[\p{L}\p{N}_-]{0,99}$/u;

export const attributeProblems = (attributes: UserAttributes): readonly FieldProblem[] => {
  const entries = Object.entries(attributes);
  if (entries.length > maxNames) return [{ field: 'attributes', message: `At most ${maxNames} attributes are possible.` }];
  return entries.flatMap(([name, value]) => {
    const message = nameForm.test(name)
      ? valueProblem(value)
      : 'Expected a name that starts with a letter, of letters, digits, _ and -, 100 characters at most.';
    return message === null ? [] : [{ field: `attributes.${name.slice(0, 100)}`, message }];
  });
};

export function valueProblem(value: string | readonly string[]): string | null {
  const values = typeof value === 'string' ? [value] : value;
  if (values.length > maxValues) return `At most ${maxValues} values are possible.`;
  if (values.some((each) => each.length > longestValue)) return `Expected at most ${longestValue} characters.`;
  return values.some((each) => each.includes('\0') || !each.isWellFormed()) ? 'Expected text without NUL characters.' : null;
}
