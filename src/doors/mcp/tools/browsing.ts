import { permissions } from '../../../access/permission.ts';
import { applicationOf, has, viewerBehind } from '../../../access/principal.ts';
import { sendableParameters } from '../../../catalog/parameter.ts';
import { classifyColumns } from '../../../charts/classify.ts';
import { engines } from '../../../connectors/engines.ts';
import { filledFields, definedFields } from '../../../core/defined-fields.ts';
import { mapResult } from '../../../core/errors.ts';
import { nameAsCalled, type RunnableQuery } from '../../../pipeline/find-query.ts';
import { LARGE_CATALOG, type Profile } from '../../../pipeline/use-cases/browse.ts';
import { labelColumns } from '../../../results/columns.ts';
import {
  boolean,
  integer,
  type JsonSchema,
  listOf,
  objectOf,
  string,
  stringOrNull,
  withoutDescriptions,
} from '../../wire/json-schema.ts';
import { describeParameter } from '../../wire/parameters.ts';
import { wholeNumber } from '../../wire/values.ts';
import { columnSchema, describeColumn } from '../rows.ts';
import { cutText, describeToModel, jsonResponse, tool, text } from '../tool.ts';
import { readReference } from './query-reference.ts';

export const getUserProfile = tool({
  name: 'get_user_profile',
  title: 'Get user profile',
  description:
    'Returns the owner of this API key: user, roles, permissions, databases in scope, and when the key expires. Use it to explain what the user may do, or a refusal. Not needed before running queries (list_queries).',
  arguments: {},
  output: objectOf({
    userName: string('Name to sign in with.'),
    displayName: string('Full name; the user name if none is set.'),
    roles: listOf(string('Name of a role.'), 'Roles held.'),
    permissions: listOf(string('A permission.'), 'The permissions of all roles combined.'),
    databases: listOf(string('Name of a database.'), 'Databases in scope; "*" alone means all.'),
    apiKey: objectOf(
      { name: string('Name of the key.'), expiresAt: stringOrNull('When it expires, ISO 8601 in UTC; null: never.') },
      'The key of this call.',
    ),
  }),
  call: async (parts, call, read) =>
    mapResult(await parts.browse.profile(call, read), (profile) => jsonResponse(profileOf(profile))),
});

function profileOf({ principal, databases }: Profile) {
  const { username, fullName, roleNames, authentication } = principal;
  const viewer = viewerBehind(principal);
  const ends = [
    principal.expiresAt,
    viewer?.expiresAt ?? ('expiresAt' in authentication ? authentication.expiresAt : null),
  ].filter((each) => each !== null);
  return {
    userName: username,
    displayName: viewer?.name ?? (fullName === '' ? username : fullName),
    roles: roleNames,
    permissions: permissions.filter((permission) => has(principal, permission)),
    databases,
    apiKey: {
      name: authentication.kind === 'key' ? authentication.keyName : (applicationOf(principal) ?? ''),
      expiresAt: ends.length === 0 ? null : new Date(Math.min(...ends)).toISOString(), // a key expires with its user
    },
  };
}

const kinds = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(engines.map(({ kind }) => kind));

export const listDatabases = tool({
  name: 'list_databases',
  title: 'List databases',
  description:
    'Lists the databases that this key may use, with engine, description and number of queries. Use it for an overview, or to choose a database for list_queries. Not for tables or schemas: only stored queries can be run.',
  arguments: {},
  output: objectOf({
    databases: listOf(
      objectOf({
        name: string('Name of the database.'),
        engine: string(`${kinds}.`),
        description: string('What it contains; may be empty.'),
        queryCount: integer('Number of queries on it that this key may run.'),
      }),
      'Databases in scope.',
    ),
  }),
  call: async (parts, call, read) =>
    mapResult(await parts.browse.databases(call, read), (summaries) =>
      jsonResponse({
        databases: summaries.map(({ database: { name, kind, description }, queryCount }) => ({
          name,
          engine: kind,
          description,
          queryCount,
        })),
      }),
    ),
});

/** A query as returned by list_queries and get_query_detail. */
const summaryOf = ({ query, database, pin }: RunnableQuery) => ({
  queryId: query.id,
  queryName: nameAsCalled({ query, pin }),
  displayName: query.current.definition.name,
  description: query.current.labels.description,
  tip: query.current.labels.tip,
  database: database.name,
  status: query.status,
  parameterCount: sendableParameters(query.current.definition.parameters).length,
  hasWrites: query.current.definition.epilogue !== undefined,
});

const summaryFields: Readonly<Record<string, JsonSchema>> = {
  queryId: string('Id of the query.'),
  queryName: string('Technical name, for execute_query and the other tools.'),
  displayName: string('Display name.'),
  description: string('What the query returns.'),
  tip: string('How to use it, written by its author; may be empty.'),
  database: string('Name of its database.'),
  status: string('Always Active here.'),
  parameterCount: integer('Number of parameters; above 0, call get_query_parameters first.'),
  hasWrites: boolean('Whether the query also writes data. Ask the user before you run such a query.'),
};

/** The fields of REST's GetQueryParameters, plus the choices if the author named any. */
const parametersOf = ({ query }: RunnableQuery) =>
  sendableParameters(query.current.definition.parameters).map((each) => ({
    ...describeParameter(each),
    ...definedFields({
      Multiple: each.multiple || undefined,
      Values: each.values,
      ValuesOpen: each.valuesOpen || undefined,
      Choices: each.choices && { ...each.choices, only: each.choicesOnly ?? false },
    }),
  }));

const parameterFields: JsonSchema = objectOf({
  ParameterName: string('Exact name to send, with its @.'),
  DataType: string('SQL type; the value is sent as a string and cast to it.'),
  Required: boolean(
    'Whether NULL is refused. A required parameter that is left out has its Default, or is an error without one.',
  ),
  Default: stringOrNull('Value used if the parameter is left out; null: NULL.'),
  Description: stringOrNull('Meaning of the parameter.'),
});

export const listQueries = tool({
  name: 'list_queries',
  title: 'List queries',
  description:
    'Lists the stored queries that this key may run. Start here: search with the words of the question, choose the query whose description fits, call get_query_parameters if parameterCount is above 0, then execute_query with its queryName. Not for reading rows; free SQL cannot be run, only these queries.',
  arguments: {
    search: text(
      'Words of the question, or of a name, description, tag, parameter or column, in any form; the best matches come first. Left out: by name, in a large catalog the most used first.',
    ),
    database: text('Only queries of this database, by its name from list_databases.'),
    limit: describeToModel(wholeNumber(1, 200), 'Maximum number of queries to return; default 50.'),
    cursor: text('nextCursor of the previous list, to continue with the same search and database.'),
  },
  output: objectOf({
    queries: listOf(objectOf(summaryFields), 'Active queries that this key may run.'),
    nextCursor: stringOrNull('Pass it as cursor for more; null: the list is complete.'),
  }),
  call: async (parts, call, read) => {
    const form = () =>
      mapResult(read(), ({ limit = LARGE_CATALOG, search, database, cursor }) => ({
        limit,
        ...filledFields({ search, database, cursor }),
      }));
    return mapResult(await parts.browse.queries(call, form), ({ items, nextCursor, total }) =>
      jsonResponse({
        queries: items.map((found) => shorten(summaryOf(found))),
        nextCursor,
        ...(total !== null && nextCursor !== null && { note: describeRest(items.length, total) }),
      }),
    );
  },
});

const describeRest = (listed: number, total: number): string =>
  `${listed} of ${total} queries, the most used first. For the others call list_queries with search: words of the question, of a name or of a column.`;

const MOST_DESCRIBED = 300;
const MOST_TIP = 150;

/** Enough to choose a query; get_query_detail has the whole texts. */
const shorten = (summary: ReturnType<typeof summaryOf>) => ({
  ...summary,
  description: cutText(summary.description, MOST_DESCRIBED),
  tip: cutText(summary.tip, MOST_TIP),
});

export const getQueryDetail = tool({
  name: 'get_query_detail',
  title: 'Get query detail',
  description:
    'Returns everything about one query: description, tip, parameters, result columns and SQL text. Use it to find out what exactly a query computes. Not needed for the parameters alone (get_query_parameters). The SQL is for reading; it cannot be run here.',
  arguments: {
    queryId: { ...text('queryId from list_queries; a technical name (queryName) is accepted, too.'), listedAsRequired: true },
    queryName: text('Technical name of the query, instead of queryId.'),
  },
  output: objectOf({
    ...withoutDescriptions(objectOf(summaryFields)).properties,
    parameters: listOf(withoutDescriptions(parameterFields), 'As get_query_parameters returns them.'),
    columns: listOf(columnSchema({ DataType: string('Type as spelled by the database.') }), 'Columns of the result, in order.'),
    sql: string('SQL text of the query.'),
  }),
  call: async (parts, call, read) =>
    mapResult(await parts.browse.query(call, readReference(read)), (found) => jsonResponse(detailOf(found))),
});

function detailOf(found: RunnableQuery) {
  const { definition, resultColumns } = found.query.current;
  const columns = classifyColumns(labelColumns(resultColumns ?? [], definition.columns), definition.columns);
  return {
    ...summaryOf(found),
    parameters: parametersOf(found),
    columns: columns.map((column) => ({ ...describeColumn(column), DataType: column.type })),
    sql: definition.sql,
  };
}

export const getQueryParameters = tool({
  name: 'get_query_parameters',
  title: 'Get query parameters',
  description:
    'Returns the parameters of one query: exact names, types, which are required, defaults. Call it before you run a query that has parameters, with its queryId or queryName. Not needed if parameterCount is 0.',
  arguments: {
    queryId: text('queryId from list_queries. Either this or queryName.'),
    queryName: text('Technical name of the query, such as QD_Sales_by_region_Demo. Either this or queryId.'),
  },
  output: objectOf({
    queryId: string('Id of the query.'),
    queryName: string('Technical name, for execute_query.'),
    parameters: listOf(parameterFields, 'Its parameters; empty: it has none.'),
  }),
  call: async (parts, call, read) =>
    mapResult(await parts.browse.query(call, readReference(read)), (found) =>
      jsonResponse({ queryId: found.query.id, queryName: nameAsCalled(found), parameters: parametersOf(found) }),
    ),
});
