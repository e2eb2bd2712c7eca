import { permissions } from '../../../access/permission.ts';
import { has } from '../../../access/principal.ts';
import { engines } from '../../../connectors/engines.ts';
import { filledFields } from '../../../core/defined-fields.ts';
import type { Profile } from '../../../pipeline/use-cases/browse.ts';
import { integer, listOf, objectOf, string, stringOrNull } from '../../wire/json-schema.ts';
import { text, wholeNumber } from '../argument.ts';
import { summaryFields, summaryOf } from '../query-summary.ts';
import { formOf, jsonResponse, renderResult, tool } from '../tool.ts';

export const getUserProfile = tool({
  name: 'get_user_profile',
  title: 'Get user profile',
  description:
    'Returns the owner of this API key: user, roles, permissions, databases in scope, and when the key expires. Use it to explain what the user may do, or if a call is refused. Not needed before running queries: start with list_queries instead.',
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
  call: (parts, call, read) => renderResult(parts.browse.profile(call, read), (profile) => jsonResponse(profileOf(profile))),
});

function profileOf({ principal, databases }: Profile) {
  const { username, fullName, roleNames, authentication } = principal;
  const ends = [principal.expiresAt, authentication.kind === 'key' ? authentication.expiresAt : null].filter(
    (each) => each !== null,
  );
  return {
    userName: username,
    displayName: fullName === '' ? username : fullName,
    roles: roleNames,
    permissions: permissions.filter((permission) => has(principal, permission)),
    databases,
    apiKey: {
      name: authentication.kind === 'key' ? authentication.keyName : '',
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
  call: (parts, call, read) =>
    renderResult(parts.browse.databases(call, read), (summaries) =>
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

export const listQueries = tool({
  name: 'list_queries',
  title: 'List queries',
  description:
    'Lists the stored queries that this key may run, with name, description and tip. Start here: search with the words of the question, choose the query whose description fits, then call get_query_parameters if parameterCount is above 0, then execute_query with its queryName. With search, the best matches come first. Not for reading rows, and free SQL cannot be run: only listed queries exist.',
  arguments: {
    search: text(
      'Words of the question, or of a name, description, tag, parameter or column; word forms and typos are tolerated. Leave it out to list all queries by name.',
    ),
    database: text('Only queries of this database, by its name from list_databases.'),
    limit: wholeNumber('Maximum number of queries to return; default 50.', 1, 200),
    cursor: text('nextCursor of the previous list, to continue with the same search and database.'),
  },
  output: objectOf({
    queries: listOf(objectOf(summaryFields), 'Active queries that this key may run.'),
    nextCursor: stringOrNull('Pass it as cursor for more; null: the list is complete.'),
  }),
  call: (parts, call, read) => {
    const form = formOf(read, ({ limit = 50, search, database, cursor }) => ({
      limit,
      ...filledFields({ search, database, cursor }),
    }));
    return renderResult(parts.browse.queries(call, form), ({ items, nextCursor }) =>
      jsonResponse({ queries: items.map(summaryOf), nextCursor }),
    );
  },
});
