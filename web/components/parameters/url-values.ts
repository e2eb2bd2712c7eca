import type { QueryParameter } from '../../app/wire.ts';
import type { SearchParams } from '../use-search-params.ts';
import { type ParameterValues, toInitialValues } from './parameter-values.ts';

/** The initial values of a form: those in the URL (`?@Region=North`), otherwise the defaults. */
export const valuesFromUrl = (parameters: readonly QueryParameter[], params: SearchParams): ParameterValues => ({
  ...toInitialValues(parameters),
  ...Object.fromEntries(
    parameters.flatMap(({ name }) => {
      const value = params[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  ),
});

/** Values as search parameters of the URL, without masked ones: URLs are shared and stored in histories. */
export const urlOfValues = (parameters: readonly QueryParameter[], values: ParameterValues): Record<string, string | undefined> =>
  Object.fromEntries(parameters.map(({ name, masked = false }) => [name, masked ? undefined : (values[name] ?? undefined)]));

/** A change that removes all values from the URL, because another query has other parameters. */
export const clearValues = (params: SearchParams): Record<string, undefined> =>
  Object.fromEntries(
    Object.keys(params)
      .filter((name) => name.startsWith('@'))
      .map((name) => [name, undefined]),
  );
