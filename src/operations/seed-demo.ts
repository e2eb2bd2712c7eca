import { randomUUID } from 'node:crypto';
import { describeSql, checkParameterUse } from '../administration/queries/check-query.ts';
import { createQuery } from '../administration/queries/queries.ts';
import { findChartProblems } from '../administration/queries/query-lifecycle.ts';
import { activate, validate } from '../catalog/lifecycle.ts';
import { emptyLabels, partOf, type WrittenLabels } from '../catalog/query-fields.ts';
import type { Query, QueryDefinition } from '../catalog/query.ts';
import { technicalName } from '../catalog/technical-name.ts';
import type { Connections, Connector } from '../connectors/connector.ts';
import type { Result } from '../core/errors.ts';
import type { DatabaseRecord, MetadataStore, Repositories } from '../store/metadata-store.ts';

const DESCRIBE_MS = 60_000; // a failure ends the first start: a busy machine must not cause one

/** Open to every role. The queries of choices are named by their display name: the prefix of technical names is a setting. */
export type DemoQuery = Omit<QueryDefinition, 'databaseId'> & Partial<WrittenLabels>;

export interface DemoSeed {
  readonly store: MetadataStore;
  readonly database: DatabaseRecord;
  /** Runs first in the same transaction: stores the database; false if another process was first. */
  readonly claim: (repositories: Repositories) => Promise<boolean>;
  readonly queries: readonly DemoQuery[];
  readonly connections: Pick<Connections, 'connectorFor' | 'engineOf'>;
  readonly namePrefix: string;
  readonly now: () => number;
  readonly by: string; // user name
}

/**
 * Creates the demo catalog, Active, with each query described by its database. Throws if one does not work, which is a defect.
 */
export async function seedDemo(seed: DemoSeed): Promise<void> {
  const connector = await seed.connections.connectorFor(seed.database);
  const queries = await Promise.all(seed.queries.map((each) => createActiveQuery(seed, each, connector)));
  await seed.store.transaction(async (repositories) => {
    if (!(await seed.claim(repositories))) return;
    for (const query of queries) await repositories.queries.insert(query);
  });
}

async function createActiveQuery(seed: DemoSeed, demo: DemoQuery, connector: Connector): Promise<Query> {
  const { database, by } = seed;
  const at = seed.now();
  const { name } = demo;
  const nameOf = (query: string) => technicalName(seed.namePrefix, query, database.name);
  const parameters = demo.parameters.map((each) =>
    each.choices === undefined ? each : { ...each, choices: { ...each.choices, query: nameOf(each.choices.query) } },
  );
  const definition: QueryDefinition = { ...partOf('definition', demo), parameters, databaseId: database.id };
  const expectOk = <T>(result: Result<T>): T => {
    if (result.ok) return result.value;
    throw new Error(`the demo query ${name} does not work: ${JSON.stringify(result.failure)}`);
  };
  const { dialect } = seed.connections.engineOf(database);
  expectOk(checkParameterUse(definition, dialect));
  const discovered = expectOk(await describeSql(connector, definition, dialect, AbortSignal.timeout(DESCRIBE_MS)));
  const [chartProblem] = findChartProblems(definition, discovered);
  if (chartProblem !== undefined) throw new Error(`the chart of the demo query ${name}: ${chartProblem.message}`);

  const labels = { ...emptyLabels, ...partOf('labels', demo) };
  const draft = createQuery(randomUUID(), nameOf(name), { definition, labels }, by, at);
  return expectOk(activate(expectOk(validate(draft, discovered, by, at)), by, at));
}
