import { z } from 'zod';
import type { NetworkConnection, SettingField } from '../../catalog/engine.ts';
import type { FieldProblem } from '../../core/errors.ts';
import { type Connector, ConnectorError, type Engine, type OpenRequest } from '../connector.ts';
import { loadDriver } from '../load-driver.ts';
import { checkHost } from './allowed-address.ts';

export interface NetworkSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: false | TlsSettings;
  readonly connectTimeoutMs: number;
}

export interface TlsSettings {
  readonly ca?: string | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
  readonly servername?: string | undefined;
}

const fields = z.registry<Omit<SettingField, 'name'>>();

/** Gives a setting a field in the form of a connection. */
export function withField<Schema extends z.ZodType>(schema: Schema, field: Omit<SettingField, 'name'>): Schema {
  fields.add(schema, field);
  return schema;
}

/** The fields of the settings that have one, in their order. */
const fieldsOf = (shape: Readonly<Record<string, z.ZodType>>): readonly SettingField[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const field = fields.get(schema);
    return field === undefined ? [] : { name, ...field };
  });

/** The settings of every engine that is reached over a network; an engine extends them. */
export const networkSettings = z.strictObject({
  connectTimeoutSeconds: withField(z.number({ error: 'A number of seconds, from 1 to 30.' }).min(1).max(30).default(5), {
    label: 'Connect timeout (seconds)',
    description: '1 to 30.',
    input: 'number',
    placeholder: '5',
  }),
});

interface NetworkEngine<Settings> extends Omit<Engine, 'connection' | 'settings' | 'secretFields' | 'check' | 'open'> {
  readonly connection: NetworkConnection;
  /** Fields of the connection that it checks differently. */
  readonly fields?: Partial<Record<'host' | 'user' | 'password' | 'database', z.ZodType<string>>>;
  readonly settings: z.ZodType<Settings> & { readonly shape: Readonly<Record<string, z.ZodType>> };
  /** What is wrong with fields that are valid alone. */
  problemOf?(settings: NetworkSettings & Settings): FieldProblem | null;
  /** Imports the code that opens a connection, and the driver with it. */
  importOpen(): Promise<(settings: NetworkSettings & Settings, request: OpenRequest) => Connector>;
}

/** An engine that is reached over a network. */
export function networkEngine<Settings extends z.output<typeof networkSettings>>({
  fields = {},
  settings,
  problemOf = () => null,
  importOpen,
  ...engine
}: NetworkEngine<Settings>): Engine {
  const { port, defaultDatabase } = engine.connection;
  const {
    host = networkHost,
    user = networkName('user'),
    password = networkPassword,
    database = networkName('database'),
  } = fields;
  const connection = z.strictObject({
    ...{ host, port: networkPort(port), user, password, tls: networkTls },
    database: defaultDatabase === undefined ? database : database.default(defaultDatabase),
  });
  const schema = z.object({ connection, settings });

  function read(request: OpenRequest): { settings: NetworkSettings & Settings } | { problems: readonly FieldProblem[] } {
    const parsed = schema.safeParse({ connection: request.connection, settings: request.settings });
    if (!parsed.success) return { problems: problemsIn(parsed.error, engine.label) };
    const { data } = parsed;
    const connectTimeoutMs = data.settings.connectTimeoutSeconds * 1000;
    const complete = { ...data.settings, ...data.connection, connectTimeoutMs };
    const problem = problemOf(complete);
    return problem === null ? { settings: complete } : { problems: [problem] };
  }

  return {
    ...engine,
    settings: fieldsOf(settings.shape),
    secretFields: ['password'],
    check(request) {
      const found = read(request);
      return 'problems' in found ? found.problems : [];
    },
    async open(request) {
      const found = read(request);
      if ('problems' in found) {
        throw new ConnectorError('unavailable', found.problems.map(({ field, message }) => `${field}: ${message}`).join(' '));
      }
      await checkHost(found.settings.host);
      const open = await loadDriver(engine.label, importOpen);
      return open(found.settings, request);
    },
  };
}

export const networkName = (what: string) =>
  z
    .string({ error: `Name the ${what}.` })
    .min(1, `Name the ${what}.`)
    .max(255)
    // a zero byte would end the field and begin another one
    .refine((text) => !/\p{Cc}/u.test(text), 'Control characters are not allowed.');

const networkHost = networkName('host').refine((host) => !host.startsWith('/'), 'Sockets in the file system are not supported.');

const networkPort = (usual: number) => z.int({ error: 'The port is a number from 1 to 65535.' }).min(1).max(65535).default(usual);

const networkPassword = z
  .string({ error: 'The password is a text.' })
  .refine((text) => !text.includes('\0'), 'A zero byte is not allowed.')
  .default('');

const tlsFields = z.strictObject({
  ca: z.string().optional(),
  rejectUnauthorized: z.boolean().optional(),
  servername: z.string().min(1).optional(),
});
const networkTls = z
  .union([z.boolean(), tlsFields], { error: 'tls is true, false, or an object with ca, rejectUnauthorized and servername.' })
  .default(false)
  .transform((tls): false | TlsSettings => (tls === true ? {} : tls));

function problemsIn(error: z.ZodError, engine: string): readonly FieldProblem[] {
  return error.issues.map((issue) => {
    const field = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys') return { field, message: issue.message };
    const path = `${field}.${issue.keys[0]}`;
    return { kind: 'FieldUnknown', field: path, message: `${engine} connections have no field ${path}.` };
  });
}
