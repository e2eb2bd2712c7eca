import { randomBytes } from 'node:crypto';
import { importJWK } from 'jose';
import type { Principal } from '../../access/principal.ts';
import type { SecretBox } from '../../access/secret-box.ts';
import type { SigningKeys, User } from '../../access/user.ts';
import { algorithmOf, type PublicKey, publicPart } from '../../access/viewer-tokens.ts';
import { failed, fieldInvalid, type FieldProblem, type Result, succeeded } from '../../core/errors.ts';
import type { ListRequest, SeenViewer } from '../../store/metadata-store.ts';
import type { AdministrationParts, AuditNote } from '../change.ts';
import { isoTime } from '../iso-time.ts';
import { findApplicationToActAs, findReachableApplication } from './applications.ts';
import { findMissingPrivilegeToVouch } from './grant-rules.ts';

export interface NewSigningKeys {
  readonly jwks?: { readonly keys: readonly SentKey[] } | undefined;
  readonly jwksUri?: string | undefined;
  readonly secret?: true | undefined;
}

/** A key as sent; members that are not public are unknown. */
type SentKey = PublicKey & Readonly<Record<string, unknown>>;

export interface SigningKeyParts extends AdministrationParts {
  readonly secrets: SecretBox;
  /** What is wrong with an address to read keys from; null: nothing. */
  readonly addressProblem: (address: string) => string | null;
}

export type Vouching = ReturnType<typeof createVouching>;

const SECRET_BYTES = 32;
const MAX_KEYS = 10;
const MIN_RSA_BYTES = 256;

/** The keys by which applications vouch for viewers, and the viewers. Callers must have checked the permission `users.manage`. */
export function createVouching({ store, secrets, addressProblem, now }: SigningKeyParts) {
  const write = async (user: User, signing: SigningKeys | null, note: AuditNote): Promise<Result<null>> => {
    note.parameters = { user: user.username, signing: signing === null ? null : signingView(signing) };
    return store.transaction(async ({ users }) => {
      const current = await users.get(user.id);
      if (current === null || current.version !== user.version) return failed({ kind: 'VersionConflict' });
      await users.update({ ...current, signing, version: current.version + 1 });
      return succeeded(null);
    });
  };
  const findWritable = async (actor: Principal, id: string): Promise<Result<User>> => {
    const user = await findApplicationToActAs(store, actor, id);
    if (!user.ok) return user;
    return findMissingPrivilegeToVouch(actor, await store.queries.listBoundSources()) ?? user;
  };
  const parse = async (id: string, { jwks, jwksUri, secret }: NewSigningKeys): Promise<Result<[SigningKeys, string?]>> => {
    if ([jwks, jwksUri, secret].filter((each) => each !== undefined).length !== 1) return exactlyOne;
    if (jwks !== undefined) {
      const problems = await keyProblems(jwks.keys);
      return problems.length > 0
        ? failed({ kind: 'FieldInvalid', problems })
        : succeeded([{ jwks: jwks.keys.map((key) => publicPart(key)) }]);
    }
    if (jwksUri !== undefined) {
      const problem = addressProblem(jwksUri);
      return problem === null ? succeeded([{ jwksUri }]) : failed(fieldInvalid('jwksUri', problem));
    }
    const created = randomBytes(SECRET_BYTES).toString('base64url');
    return succeeded([{ sealedSecret: secrets.seal(created, id) }, created]);
  };
  return {
    async get(actor: Principal, id: string) {
      const user = await findReachableApplication(store, actor, id);
      return user.ok ? succeeded(signingView(user.value.signing)) : user;
    },
    /** The only response that contains a new secret. Tokens that earlier keys signed are refused from now on. */
    async replace(actor: Principal, id: string, input: NewSigningKeys, note: AuditNote) {
      const user = await findWritable(actor, id);
      if (!user.ok) return user;
      const parsed = await parse(id, input);
      if (!parsed.ok) return parsed;
      const [signing, secret] = parsed.value;
      const written = await write(user.value, signing, note);
      return written.ok ? succeeded({ ...signingView(signing), ...(secret === undefined ? {} : { secret }) }) : written;
    },
    async remove(actor: Principal, id: string, note: AuditNote): Promise<Result<null>> {
      const user = await findReachableApplication(store, actor, id);
      return user.ok ? write(user.value, null, note) : user;
    },
    async listViewers(actor: Principal, id: string, request: ListRequest) {
      const user = await findReachableApplication(store, actor, id);
      if (!user.ok) return user;
      const { items, nextCursor } = await store.viewers.list(id, request);
      return succeeded({ items: items.map(viewerView), nextCursor });
    },
    async block(actor: Principal, id: string, sub: string, note: AuditNote) {
      const user = await findReachableApplication(store, actor, id);
      if (!user.ok) return user;
      note.parameters = { user: user.value.username, viewer: sub };
      await store.viewers.block(id, sub, now());
      const blocked = await store.viewers.get(id, sub);
      return succeeded(viewerView(blocked ?? { sub, calls: 0, lastUsedAt: null, blockedAt: now() }));
    },
    async unblock(actor: Principal, id: string, sub: string, note: AuditNote): Promise<Result<null>> {
      const user = await findReachableApplication(store, actor, id);
      if (!user.ok) return user;
      note.parameters = { user: user.value.username, viewer: sub };
      await store.viewers.unblock(id, sub);
      return succeeded(null);
    },
  };
}

const exactlyOne = failed(fieldInvalid('jwks', 'Send exactly one of jwks, jwksUri and secret.'));

async function keyProblems(keys: readonly SentKey[]): Promise<readonly FieldProblem[]> {
  if (keys.length === 0 || keys.length > MAX_KEYS) return [{ field: 'jwks', message: `1 to ${MAX_KEYS} keys are expected.` }];
  const problems = await Promise.all(
    keys.map(async (key, index) => {
      const isTwice = key.kid !== undefined && keys.findIndex(({ kid }) => kid === key.kid) < index;
      const message = isTwice ? 'Another key has the same kid.' : await keyProblem(key);
      return message === null ? [] : [{ field: `jwks.keys.${index}`, message }];
    }),
  );
  return problems.flat();
}

async function keyProblem(key: SentKey): Promise<string | null> {
  if ('d' in key || 'k' in key) return 'This key is secret. Send the public key only, and replace this one: it was disclosed.';
  const jwk = publicPart(key);
  const alg = algorithmOf(jwk);
  const isShort = alg === 'RS256' && Buffer.from(key.n ?? '', 'base64url').length < MIN_RSA_BYTES;
  const imported = alg === null || isShort ? null : await importJWK(jwk, alg).catch(() => null);
  return imported === null ? 'A public key for EdDSA (Ed25519), ES256 or RS256 (2048 bits or more) is expected.' : null;
}

function signingView(signing: SigningKeys | null) {
  if (signing === null) return { kind: null, keys: [], jwksUri: null };
  if ('jwksUri' in signing) return { kind: 'jwksUri' as const, keys: [], jwksUri: signing.jwksUri };
  if ('sealedSecret' in signing) return { kind: 'secret' as const, keys: [{ kid: null, alg: 'HS256' }], jwksUri: null };
  const keys = signing.jwks.map((key) => ({ kid: key.kid ?? null, alg: algorithmOf(key) ?? '' }));
  return { kind: 'jwks' as const, keys, jwksUri: null };
}

const viewerView = ({ sub, calls, lastUsedAt, blockedAt }: SeenViewer) => ({
  sub,
  calls,
  lastUsedAt: isoTime(lastUsedAt),
  blockedAt: isoTime(blockedAt),
});
