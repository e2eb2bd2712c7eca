import { namePart } from '../technical-name.ts';

/** A query as read from a file; its fields are not checked. */
export interface NamedQuery {
  readonly queryName: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Names of databases by the names that replace them. */
export type DatabaseNames = ReadonlyMap<string, string>;

/**
 * Replaces the names of databases: in the queries, at the end of their technical names, and in the references of choices to them.
 * A technical name that does not end in the name of its database stays: it was fixed before the query moved.
 */
export function mapDatabases<Q extends NamedQuery>(queries: readonly Q[], names: DatabaseNames): Q[] {
  if (names.size === 0) return [...queries];
  const databases = new Map(queries.map(({ queryName, fields }) => [queryName, fields.database]));
  const rename = (queryName: string): string => {
    const mayBeOn = (name: string): boolean => !databases.has(queryName) || databases.get(queryName) === name;
    const found = [...names].find(([name]) => mayBeOn(name) && queryName.endsWith(endOf(name)));
    return found === undefined ? queryName : queryName.slice(0, -endOf(found[0]).length) + endOf(found[1]);
  };
  return queries.map((query) => {
    const { database, parameters } = query.fields;
    const moved = {
      ...query.fields,
      ...(typeof database === 'string' ? { database: names.get(database) ?? database } : {}),
      ...(Array.isArray(parameters) ? { parameters: parameters.map((each: unknown) => renameChoices(each, rename)) } : {}),
    };
    return { ...query, queryName: rename(query.queryName), fields: moved };
  });
}

const endOf = (database: string): string => `_${namePart(database)}`;

function renameChoices(parameter: unknown, rename: (queryName: string) => string): unknown {
  if (!isObject(parameter) || !isObject(parameter.choices) || typeof parameter.choices.query !== 'string') return parameter;
  return { ...parameter, choices: { ...parameter.choices, query: rename(parameter.choices.query) } };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
