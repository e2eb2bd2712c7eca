import { text } from '../argument.ts';
import { listOf, objectOf, string } from '../json-schema.ts';
import { parameterFields, parametersOf } from '../query-summary.ts';
import { rendered, jsonResponse, tool } from '../tool.ts';
import { referenceOf } from './query-reference.ts';

export const getQueryParameters = tool({
  name: 'get_query_parameters',
  title: 'Get query parameters',
  description:
    'Returns the parameters of one query: exact names, types, which are required, defaults. Call it before execute_query, start_stream, export_query or execute_chart_query if the query has parameters. Pass queryId or queryName. Not needed for queries whose parameterCount is 0.',
  arguments: {
    queryId: text('queryId from list_queries. Either this or queryName.'),
    queryName: text('Technical name of the query, such as QD_Sales_by_region_Demo. Either this or queryId.'),
  },
  output: objectOf({
    queryId: string('Id of the query.'),
    queryName: string('Technical name, for execute_query.'),
    parameters: listOf(parameterFields, 'Its parameters; empty: it has none.'),
  }),
  call: (parts, call, read) =>
    rendered(
      parts.browse.query(call, () => referenceOf(read())),
      (found) => jsonResponse({ queryId: found.query.id, queryName: found.query.queryName, parameters: parametersOf(found) }),
    ),
});
