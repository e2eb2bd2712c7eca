import { namePart } from '../technical-name.ts';

/** A query as read from a file; its fields are not checked. */
export interface NamedQuery {
  readonly queryName: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Names of databases by the names that replace them. */
export type DatabaseNames = ReadonlyMap<string, string>;

/**
 * Moves queries to databases of other names: with the database, the end of the technical name changes, and references to the query in the choices of
 * others. A technical name that does not end in the name of its database stays: it was fixed before the query moved.
 */
export function mapDatabases<Q extends NamedQuery>(queries: readonly Q[], names: DatabaseNames): Q[] {
  if (names.size === 0) return [...queries];
  const databases = new Map(queries.map(({ queryName, fields }) => [queryName, fields.database]));
  const rename = (queryName: string): string => {
    const known = databases.has(queryName);
    const [from, to] =
      [...names].find(([name]) => (known ? databases.get(queryName) === name : queryName.endsWith(endOf(name)))) ?? [];
    if (from === undefined || to === undefined || !queryName.endsWith(endOf(from))) return queryName;
    return queryName.slice(0, -endOf(from).length) + endOf(to);
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
