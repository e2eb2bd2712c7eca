import { text, whole } from '../argument.ts';
import { listOf, objectOf, stringOrNull } from '../json-schema.ts';
import { summaryFields, summaryOf } from '../query-summary.ts';
import { rendered, formOf, jsonResponse, tool } from '../tool.ts';

export const listQueries = tool({
  name: 'list_queries',
  title: 'List queries',
  description:
    'Lists the stored queries that this key may run, with name, description and tip. Start here: choose the query whose description fits the question, then call get_query_parameters if parameterCount is above 0, then execute_query with its queryName. Filter by search (part of a name, description or tag) or by database. Not for reading rows, and free SQL cannot be run: only listed queries exist.',
  arguments: {
    search: text('Part of the display name, technical name, description or a tag, ignoring case. Leave it out to list all.'),
    database: text('Only queries of this database, by its name from list_databases.'),
    limit: whole('Maximum number of queries to return; default 50.', 1, 200),
    cursor: text('nextCursor of the previous list, to continue with the same search and database.'),
  },
  output: objectOf({
    queries: listOf(objectOf(summaryFields), 'Active queries that this key may run.'),
    nextCursor: stringOrNull('Pass it as cursor for more; null: the list is complete.'),
  }),
  call: (parts, call, read) => {
    const form = formOf(read, ({ limit = 50, search, database, cursor }) => ({
      limit,
      ...(search ? { search } : {}),
      ...(database ? { database } : {}),
      ...(cursor ? { cursor } : {}),
    }));
    return rendered(parts.browse.queries(call, form), ({ items, nextCursor }) =>
      jsonResponse({ queries: items.map(summaryOf), nextCursor }),
    );
  },
});
