import { classifyColumns } from '../../../charts/classify.ts';
import type { RunnableQuery } from '../../../pipeline/find-query.ts';
import { labelColumns } from '../../../results/columns.ts';
import { listOf, objectOf, string } from '../../wire/json-schema.ts';
import { text } from '../argument.ts';
import { parameterFields, parametersOf, summaryFields, summaryOf } from '../query-summary.ts';
import { jsonResponse, renderResult, tool } from '../tool.ts';
import { readReference } from './query-reference.ts';

export const getQueryDetail = tool({
  name: 'get_query_detail',
  title: 'Get query detail',
  description:
    'Returns everything about one query: description, parameters, result columns and its SQL text. Use it to find out what exactly a query computes or which columns it returns before you run or explain it. Not needed for the parameters alone (get_query_parameters is shorter). The SQL is for reading; it cannot be changed or run here.',
  arguments: {
    queryId: { ...text('queryId from list_queries; a technical name (queryName) is accepted, too.'), listedAsRequired: true },
    queryName: text('Technical name of the query, instead of queryId.'),
  },
  output: objectOf({
    ...summaryFields,
    parameters: listOf(parameterFields, 'Parameters for execute_query.'),
    columns: listOf(
      objectOf({
        Name: string('Display column name, a key of the rows.'),
        Type: { type: 'string', enum: ['categorical', 'numeric'], description: 'Class for charts.' },
        DataType: string('Type as spelled by the database.'),
      }),
      'Columns of the result, in order.',
    ),
    sql: string('SQL text of the query.'),
  }),
  call: (parts, call, read) =>
    renderResult(
      parts.browse.query(call, () => readReference(read())),
      (found) => jsonResponse(detailOf(found)),
    ),
});

function detailOf(found: RunnableQuery) {
  const { definition, resultColumns } = found.query.current;
  const columns = classifyColumns(labelColumns(resultColumns ?? [], definition.columns), definition.columns);
  return {
    ...summaryOf(found),
    parameters: parametersOf(found),
    columns: columns.map((column) => ({ Name: column.label, Type: column.class, DataType: column.type })),
    sql: definition.sql,
  };
}

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
    renderResult(
      parts.browse.query(call, () => readReference(read())),
      (found) => jsonResponse({ queryId: found.query.id, queryName: found.query.queryName, parameters: parametersOf(found) }),
    ),
});
