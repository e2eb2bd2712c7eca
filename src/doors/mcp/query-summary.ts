import { sendableParameters } from '../../catalog/parameter.ts';
import { definedFields } from '../../core/defined-fields.ts';
import type { RunnableQuery } from '../../pipeline/find-query.ts';
import { boolean, integer, type JsonSchema, objectOf, string, stringOrNull } from '../wire/json-schema.ts';

/** A query as returned by list_queries and get_query_detail. */
export const summaryOf = ({ query, database }: RunnableQuery) => ({
  queryId: query.id,
  queryName: query.queryName,
  displayName: query.current.definition.name,
  description: query.current.labels.description,
  tip: query.current.labels.tip,
  database: database.name,
  status: query.status,
  parameterCount: sendableParameters(query.current.definition.parameters).length,
  hasWrites: query.current.definition.epilogue !== undefined,
});

export const summaryFields: Readonly<Record<string, JsonSchema>> = {
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
export const parametersOf = ({ query }: RunnableQuery) =>
  sendableParameters(query.current.definition.parameters).map((each) => ({
    ParameterName: each.name,
    DataType: each.dataType,
    Required: each.required,
    Default: each.default ?? null,
    Description: each.description ?? null,
    ...definedFields({
      Multiple: each.multiple || undefined,
      Values: each.values,
      ValuesOpen: each.valuesOpen || undefined,
      Choices: each.choices && { ...each.choices, only: each.choicesOnly ?? false },
    }),
  }));

export const parameterFields: JsonSchema = objectOf({
  ParameterName: string('Exact name to send, with its @.'),
  DataType: string('SQL type; the value is sent as a string and cast to it.'),
  Required: boolean(
    'Whether NULL is refused. A required parameter that is left out has its Default, or is an error without one.',
  ),
  Default: stringOrNull('Value used if the parameter is left out; null: NULL.'),
  Description: stringOrNull('Meaning of the parameter.'),
});
