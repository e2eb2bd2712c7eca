import { randomBytes, randomUUID } from 'node:crypto';
import { hashSecret } from '../../access/hash-secret.ts';
import { readRedirect } from '../../access/redirect-uri.ts';
import { failed, type FieldProblem, type Result, succeeded } from '../../core/errors.ts';
import type { ListRequest, MetadataStore, OAuthClient } from '../../store/metadata-store.ts';
import type { AdministrationParts, AuditNote } from '../change.ts';
import { isoTime } from '../iso-time.ts';
import { nameProblem } from '../name-problem.ts';
import { paginate } from '../paginate.ts';
import { REGISTERED_PREFIX } from './application-identity.ts';
import { JWT_BEARER, MAX_REDIRECTS } from './client-rules.ts';

export interface NewApplication {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly tokenEndpointAuthMethod?: 'none' | 'client_secret_basic' | undefined;
  readonly managed?: boolean | readonly string[] | undefined;
}

export type RegisteredApplications = ReturnType<typeof createRegisteredApplications>;

const SECRET_BYTES = 32;

/** The AI applications that administrators register. Callers must have checked `settings.manage`. */
export function createRegisteredApplications({ store, now }: AdministrationParts) {
  return {
    async list(request: ListRequest) {
      const [clients, people] = await Promise.all([store.oauth.listRegistered(), store.oauth.countPeople(now())]);
      const views = clients.map((client) => applicationView(client, people.get(client.id)));
      return paginate(views, ({ name }) => name, request);
    },
    /** The only response that contains the secret; it is stored as a hash. */
    async create(input: NewApplication, note: AuditNote) {
      const managed = managedOf(input.managed);
      const method = input.tokenEndpointAuthMethod ?? (managed === null ? 'none' : 'client_secret_basic');
      const { name, ...rest } = input;
      note.parameters = { application: name, ...rest, tokenEndpointAuthMethod: method };
      const problems = await findProblems(store, { ...input, tokenEndpointAuthMethod: method }, managed);
      if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });
      const secret = method === 'none' ? null : randomBytes(SECRET_BYTES).toString('base64url');
      const client: OAuthClient = {
        id: REGISTERED_PREFIX + randomUUID(),
        source: 'registered',
        name: input.name,
        metadata: {
          client_name: input.name,
          redirect_uris: input.redirectUris,
          token_endpoint_auth_method: method,
          ...(managed === null ? {} : { grant_types: [JWT_BEARER] }),
        },
        secretHash: secret === null ? null : hashSecret(secret),
        managed,
        createdAt: now(),
        lastUsedAt: now(),
      };
      await store.oauth.insertClient(client);
      note.parameters = { ...note.parameters, clientId: client.id };
      return succeeded({ ...applicationView(client), ...(secret === null ? {} : { clientSecret: secret }) });
    },
    async remove(id: string, note: AuditNote): Promise<Result<null>> {
      const client = await store.oauth.getClient(id);
      if (client?.source !== 'registered') return noApplication;
      note.parameters = { application: client.name, clientId: id };
      return (await store.oauth.deleteClient(id)) ? succeeded(null) : noApplication;
    },
  };
}

const noApplication = failed({ kind: 'NotFound', what: 'registered application with this id' });

function managedOf(managed: NewApplication['managed']): OAuthClient['managed'] {
  if (managed === undefined || managed === false) return null;
  return managed === true ? '*' : managed;
}

async function findProblems(
  { queries }: Pick<MetadataStore, 'queries'>,
  { name, redirectUris, tokenEndpointAuthMethod: method }: NewApplication,
  managed: OAuthClient['managed'],
): Promise<readonly FieldProblem[]> {
  const problem = nameProblem(name);
  const isCountWrong = redirectUris.length > MAX_REDIRECTS || (redirectUris.length === 0 && managed === null);
  const named = managed === null || managed === '*' ? [] : await Promise.all(managed.map((each) => queries.byQueryName(each)));
  return [
    ...(problem === null ? [] : [{ field: 'name', message: problem }]),
    ...(isCountWrong ? [{ field: 'redirectUris', message: `Expected 1 to ${MAX_REDIRECTS} addresses.` }] : []),
    ...redirectUris.flatMap((uri, index) =>
      readRedirect(uri) === null ? [{ field: `redirectUris.${index}`, message: redirectProblem }] : [],
    ),
    ...(managed !== null && method === 'none' ? [{ field: 'tokenEndpointAuthMethod', message: secretNeeded }] : []),
    ...(managed !== null && managed.length === 0
      ? [{ field: 'managed', message: 'Name at least one query, or send true.' }]
      : []),
    ...named.flatMap((query, index) =>
      query === null ? [{ field: `managed.${index}`, message: 'There is no query with this technical name.' }] : [],
    ),
  ];
}

const redirectProblem =
  'Expected an https address, http on localhost, 127.0.0.1 or [::1], or an address with a scheme of the application, without a fragment.';
const secretNeeded = 'An application that presents identity assertions needs a secret: client_secret_basic.';

const applicationView = ({ id, name, metadata, secretHash, managed, createdAt, lastUsedAt }: OAuthClient, people = 0) => ({
  id,
  clientId: id,
  name,
  redirectUris: [metadata.redirect_uris].flat().map(String),
  tokenEndpointAuthMethod: secretHash === null ? ('none' as const) : ('client_secret_basic' as const),
  managed: managed === '*' ? true : (managed ?? false),
  createdAt: isoTime(createdAt),
  lastUsedAt: lastUsedAt === createdAt ? null : isoTime(lastUsedAt),
  people,
});
