import type { KeyRing } from './key-ring.ts';
import { createSecretBox } from './secret-box.ts';
import { type UserAttributes, valueProblem } from './user.ts';

/**
 * A sign-in in progress at the OpenID Connect provider: the values that its callback must match. The browser keeps it, sealed,
 * in a cookie.
 */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string; // PKCE
  readonly next: string; // the page to return to
  readonly at: number;
}

export type Attempts = ReturnType<typeof createAttempts>;

export const ATTEMPT_SECONDS = 600;

export function createAttempts(ring: KeyRing) {
  const box = createSecretBox(ring, 'sign-in attempts');
  return {
    seal: (attempt: Attempt): string => box.seal(JSON.stringify(attempt), CONTEXT),
    /** Null if it was altered, was not sealed here or has expired. */
    open(sealed: string, now: number): Attempt | null {
      const text = box.open(sealed, CONTEXT);
      if (text === null) return null;
      const attempt: Attempt = JSON.parse(text);
      const age = now - attempt.at;
      return age > ATTEMPT_SECONDS * 1000 ? null : attempt;
    },
  };
}

const CONTEXT = 'attempt';
const MAX_LENGTH = 1000; // stored in a cookie

/** The requested path if it is a page of this service, otherwise the home page. */
export function toLocalPath(wanted: unknown): string {
  const home = '/';
  if (typeof wanted !== 'string' || wanted.length > MAX_LENGTH || !/^\/[!-[\]-~]*$/.test(wanted)) return home; // ASCII but \
  const here = 'http://own.invalid';
  if (!URL.canParse(wanted, here)) return home;
  const { origin, pathname, search, hash } = new URL(wanted, here);
  // URL parsing resolves dot segments, after which the path may name a host (/..//elsewhere)
  if (origin !== here || pathname.startsWith('//') || /^\/(sign-in|api)(\/|$)/.test(pathname)) return home;
  return pathname + search + hash;
}

/** The claims of an ID token. */
export type Claims = Readonly<Record<string, unknown>>;

export interface ClaimRules {
  readonly usernameClaim: string;
  readonly rolesClaim: string;
  readonly roleMap: readonly string[]; // 'group=Role'
  readonly databaseMap: readonly string[]; // 'group=Database', 'group=*'
  readonly defaultRoles: readonly string[];
  readonly attributes: readonly string[]; // 'name=claim'
}

export interface Person {
  readonly externalId: string;
  readonly username: string; // empty if the provider sent none
  readonly fullName: string;
  readonly email: string;
  readonly roles: readonly string[]; // names
  readonly databases: readonly string[] | null; // names, or ['*']; null: the provider does not decide
  /** Of the mapped names; those without a usable value are missing. */
  readonly attributes: UserAttributes;
  readonly attributeNames: readonly string[]; // the mapped ones
}

/** Issuer and subject together: a subject is unique within its issuer only, and names can be reassigned. */
export const externalIdOf = (issuer: string, subject: string): string => `${issuer}#${subject}`; // an issuer has no #

export function personOf(externalId: string, claims: Claims, rules: ClaimRules): Person {
  // some providers let users enter any address
  const email = isUnverified(claims.email_verified) ? '' : textOf(claims.email);
  const groups = new Set(groupsOf(claimOf(claims, rules.rolesClaim)));
  const databases = mapGroups(rules.databaseMap, groups);
  return {
    externalId,
    username: textOf(claimOf(claims, rules.usernameClaim)) || email,
    fullName: textOf(claims.name) || [claims.given_name, claims.family_name].map(textOf).join(' ').trim(),
    email,
    roles: [...new Set([...rules.defaultRoles, ...mapGroups(rules.roleMap, groups)])],
    databases: rules.databaseMap.length === 0 ? null : databases.includes('*') ? ['*'] : databases,
    attributes: attributesOf(claims, rules.attributes),
    attributeNames: rules.attributes.map(attributeNameOf),
  };
}

export const attributeNameOf = (pair: string): string => pair.slice(0, pair.indexOf('=')).trim();

function attributesOf(claims: Claims, pairs: readonly string[]): UserAttributes {
  const found = pairs.flatMap((pair) => {
    const claim = claimOf(claims, pair.slice(pair.indexOf('=') + 1).trim());
    const values = [claim].flat().flatMap((each) => (isPlain(each) && String(each) !== '' ? [String(each)] : []));
    const value = Array.isArray(claim) ? values : values[0];
    return value === undefined || value.length === 0 || valueProblem(value) !== null
      ? []
      : [[attributeNameOf(pair), value] as const];
  });
  return Object.fromEntries(found);
}

const isPlain = (claim: unknown): boolean => typeof claim === 'string' || typeof claim === 'number' || typeof claim === 'boolean';

/** By name, or by path if the provider nests it: `realm_access.roles`. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const step of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = Reflect.get(found, step);
  }
  return found;
}

const groupsOf = (claim: unknown): readonly string[] => [claim].flat().filter((each) => typeof each === 'string');

function mapGroups(pairs: readonly string[], groups: ReadonlySet<string>): readonly string[] {
  const found = pairs.flatMap((pair) => {
    const at = pair.lastIndexOf('=');
    return groups.has(pair.slice(0, at).trim()) ? [pair.slice(at + 1).trim()] : [];
  });
  return [...new Set(found)];
}

const isUnverified = (claim: unknown): boolean => claim === false || claim === 'false';

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim.trim() : '');
