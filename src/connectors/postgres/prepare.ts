import { refusal } from '../statements/refusals.ts';
import type { Prepared } from './cells.ts';
import { engineError } from './engine-error.ts';
import { Messages } from './messages.ts';
import type { RenderedSql } from './parameters.ts';
import { own, type Session } from './session.ts';
import type { Types } from './types.ts';
import { type Reply, ServerError } from './wire.ts';

/** Prepares an author's SQL, which must be one query that only reads. Throws `invalid`. */
export function prepareSelect(session: Session, types: Types, rendered: RenderedSql): Promise<Prepared> {
  return prepare(session, types, rendered.key.select, rendered, ({ fields }, plan) => {
    if (fields === undefined || plan === 'none') throw refusal('Only a query that returns rows can be run here.');
    if (plan === 'writes') throw refusal('The query changes rows. That belongs in the Epilogue.');
  });
}

/** The statement that `prepareSelect` prepared on this session before. */
export const findPreparedSelect = (session: Session, rendered: RenderedSql): Prepared | undefined =>
  session.findPrepared(rendered.key.select);

/** Prepares an Epilogue, which must be one statement that changes rows. Throws `invalid`. */
export function prepareEpilogue(session: Session, types: Types, rendered: RenderedSql): Promise<Prepared> {
  return prepare(session, types, rendered.key.epilogue, rendered, (_, plan) => {
    if (plan !== 'writes') throw refusal('An Epilogue is one INSERT, UPDATE, DELETE or MERGE statement.');
  });
}

async function prepare(
  session: Session,
  types: Types,
  key: string,
  rendered: RenderedSql,
  check: (described: Reply, plan: Plan) => void,
): Promise<Prepared> {
  const kept = session.findPrepared(key);
  if (kept !== undefined) return kept;
  const name = session.nextName();
  try {
    const { described, plan } = await describeAndPlan(session, name, rendered);
    try {
      if (described.parameters.length !== rendered.types.length) throw refusal('Write parameters as @Name, not as $1.');
      check(described, plan);
      const prepared = { key, name, ...(await types.columnsOf(session, described.fields ?? [])) };
      const meanwhile = session.findPrepared(key); // by another run
      if (meanwhile !== undefined) session.drop(name);
      else session.keep(key, prepared);
      return meanwhile ?? prepared;
    } catch (error) {
      session.drop(name);
      throw error;
    }
  } catch (error) {
    throw engineError('invalid', error, rendered);
  }
}

/** In a transaction that is rolled back, because the planner may call functions, which can change settings and take locks. */
async function describeAndPlan(session: Session, name: string, rendered: RenderedSql): Promise<{ described: Reply; plan: Plan }> {
  const { wire } = session;
  const messages = new Messages().bind(own.beginReadOnly.name).execute().parse(name, rendered.sql, rendered.types).describe(name);
  const describing = wire.exchange(messages.take());
  const planning = planOf(session, rendered);
  const ending = session.rollBack(); // all three are sent together
  await Promise.allSettled([describing, planning]);
  await ending.catch((error) => {
    session.isUnusable = true;
    throw error;
  });
  return { described: await describing, plan: await planning }; // errors of the statement itself come first
}

type Plan = 'reads' | 'writes' | 'none';

/**
 * Whether a statement reads or writes, by the server's plan: neither its first word nor whether it returns rows decides that
 * (DELETE … RETURNING, CALL).
 */
async function planOf(session: Session, { sql, types, values }: RenderedSql): Promise<Plan> {
  const nulls = values.map(() => null);
  const messages = new Messages()
    .parse('', explain + sql, types)
    .bind('', nulls)
    .execute();
  try {
    const { rows } = await session.wire.exchange(messages.take());
    const tree: unknown = JSON.parse(rows[0]?.[0] ?? 'null');
    return contains(tree, 'Node Type', 'ModifyTable') ? 'writes' : 'reads';
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.code === syntaxError || error.code === notSupported) return 'none'; // it has no plan
    if (error.code.startsWith('42') && error.position === undefined) throw error; // no permission
    return 'reads'; // planning fails: the run reports the error
  }
}

const explain = 'EXPLAIN (FORMAT JSON) ';
const syntaxError = '42601';
const notSupported = '0A000';

function contains(tree: unknown, field: string, value: string): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  return Object.entries(tree).some(([name, member]) => (name === field && member === value) || contains(member, field, value));
}
