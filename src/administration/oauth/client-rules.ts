import { LRUCache } from 'lru-cache';
import type * as library from 'oidc-provider';
import type { AllClientMetadata, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { isListedHost, readRedirect } from '../../access/redirect-uri.ts';
import { succeeded } from '../../core/errors.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import { createBoundedWork } from '../bounded-work.ts';
import { REGISTERED_PREFIX } from './application-identity.ts';

export interface ClientRuleParts {
  readonly store: Pick<MetadataStore, 'oauth'>;
  /** Reads a document at an untrusted address. */
  readonly fetchDocument: (address: string) => Promise<unknown>;
  readonly clientHosts: readonly string[]; // empty: all
  readonly isManagedOn: boolean;
  /** People only learn that a document was not read: the reason would tell strangers about our network. */
  readonly onDocumentProblem: (address: string, error: unknown) => void;
}

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const DYNAMIC_PREFIX = 'dyn_';
export const MAX_REDIRECTS = 20;
const READ_AT_ONCE = 64; // documents

/** The metadata of a client that we use. The rest is dropped: it may contain addresses, which the library would fetch. */
const knownMetadata = new Set(
  'client_id client_id_issued_at client_name client_secret client_secret_expires_at grant_types redirect_uris token_endpoint_auth_method'.split(
    ' ',
  ),
);

/** Registered applications, metadata documents, and dynamic registration. */
export function clientsOf({ errors }: typeof library, parts: ClientRuleParts) {
  const { store, clientHosts, isManagedOn } = parts;
  const isTaken = (host: string): boolean => clientHosts.length === 0 || isListedHost(host, clientHosts);
  const readDocument = createDocuments(parts);
  const served = new WeakSet<KoaContextWithOIDC>(); // after a failure the library asks again
  const redirectsInvalid = (id: string, description: string): Error =>
    id.startsWith(DYNAMIC_PREFIX)
      ? Object.assign(new errors.InvalidRedirectUri(), { error_description: description })
      : new errors.InvalidClientMetadata(description);
  const requireRedirects = ({ client_id: id = '', redirect_uris: uris }: AllClientMetadata, isStored: boolean): void => {
    if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS)
      throw redirectsInvalid(id, `redirect_uris must have 1 to ${MAX_REDIRECTS} members`);
    for (const uri of uris) {
      const target = typeof uri === 'string' ? readRedirect(uri) : null;
      if (target === null)
        throw redirectsInvalid(id, 'redirect_uris must be https, http on loopback, or of a private-use scheme');
      if (target.kind === 'app' || isRegistered(id) || isTaken(target.host)) continue;
      // one that registered before the settings changed is unknown now
      if (isStored && id.startsWith(DYNAMIC_PREFIX)) throw new errors.InvalidClientAuth();
      throw redirectsInvalid(id, `redirects to ${target.host} are not allowed here`);
    }
  };
  return {
    clientBasedCORS: () => true, // the door has checked the Origin
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    extraClientMetadata: {
      properties: ['software_id'],
      // every client can do the same, whatever it asks for; `native` has the redirect rules that are wanted
      validator(ctx: KoaContextWithOIDC | undefined, _key, _value, metadata) {
        for (const name of Object.keys(metadata)) if (!knownMetadata.has(name)) Reflect.deleteProperty(metadata, name);
        const isManaged = presentsAssertions(metadata);
        // an application may be registered for assertions alone
        const signsIn = !isManaged || metadata.redirect_uris?.length !== 0;
        if (signsIn) requireRedirects(metadata, ctx === undefined);
        Object.assign(metadata, {
          application_type: 'native',
          response_types: signsIn ? ['code'] : [],
          response_modes: ['query'],
          grant_types: [
            ...(signsIn ? ['authorization_code', 'refresh_token'] : []),
            ...(isManaged && isManagedOn ? [JWT_BEARER] : []),
          ],
          id_token_signed_response_alg: 'EdDSA',
        });
      },
    },
    features: {
      registration: {
        enabled: true,
        issueRegistrationAccessToken: false,
        idFactory: () => DYNAMIC_PREFIX + crypto.randomUUID(),
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        // a document is read only for a user at a browser, or for an application that a user has allowed
        async allowFetch(ctx: KoaContextWithOIDC | undefined, id) {
          if (!isTaken(new URL(id).host) || (ctx !== undefined && served.has(ctx))) return false;
          if (ctx !== undefined) served.add(ctx);
          return !isWithoutPerson(ctx) || store.oauth.hasGrants(id);
        },
      },
    },
    fetch: async (address) => Response.json(withoutAuthentication(await readDocument(String(address)))),
  } satisfies Configuration;
}

/** An application that is connected must not lose its access because its host does not respond for a while. */
function createDocuments({ fetchDocument, onDocumentProblem }: ClientRuleParts): (address: string) => Promise<unknown> {
  const known = new LRUCache<string, { readonly document: unknown }>({ max: 100, ttl: 86_400_000 });
  const bounded = createBoundedWork(READ_AT_ONCE, READ_AT_ONCE);
  return async (address) => {
    try {
      const read = await bounded(async () => succeeded({ document: await fetchDocument(address) }));
      if (!read.ok) throw new Error('Too many documents are being read');
      known.set(address, read.value);
      return read.value.document;
    } catch (error) {
      onDocumentProblem(address, error);
      const found = known.get(address);
      if (found === undefined) throw error;
      return found.document;
    }
  };
}

/** An application that prefers to authenticate by keys, but can do without, counts as public: this server verifies no keys of applications. */
function withoutAuthentication(document: unknown): object {
  const { token_endpoint_auth_methods_supported: methods, ...rest } = Object(document);
  const isOptional = Array.isArray(methods) && methods.includes('none');
  return { token_endpoint_auth_method: 'none', ...rest, ...(isOptional ? { token_endpoint_auth_method: 'none' } : {}) };
}

const isRegistered = (id: string): boolean => id.startsWith(REGISTERED_PREFIX);

const presentsAssertions = ({ client_id: id = '', grant_types: grantTypes }: AllClientMetadata): boolean =>
  isRegistered(id) && Array.isArray(grantTypes) && grantTypes.includes(JWT_BEARER);

const isWithoutPerson = (ctx: KoaContextWithOIDC | undefined): boolean => ['token', 'revocation'].includes(ctx?.oidc.route ?? '');
