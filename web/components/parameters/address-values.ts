import type { QueryParameter } from '../../app/wire.ts';
import { type ParameterValues, initialValues } from './parameter-values.ts';

type Words = Readonly<Record<string, string | undefined>>;

/** What a form shows at first: the values that the address names (`?@Region=North`), else the usual ones. */
export const valuesOfAddress = (parameters: readonly QueryParameter[], address: Words): ParameterValues => ({
  ...initialValues(parameters),
  ...Object.fromEntries(
    parameters.flatMap(({ name }) => {
      const value = address[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  ),
});

/** Values as words of an address. A masked one stays out of it: addresses are kept in histories and shared. */
export const addressOfValues = (
  parameters: readonly QueryParameter[],
  values: ParameterValues,
): Record<string, string | undefined> =>
  Object.fromEntries(parameters.map(({ name, masked = false }) => [name, masked ? undefined : (values[name] ?? undefined)]));

/** The change that takes all values out of an address, for another query has other parameters. */
export const withoutValues = (address: Words): Record<string, undefined> =>
  Object.fromEntries(
    Object.keys(address)
      .filter((name) => name.startsWith('@'))
      .map((name) => [name, undefined]),
  );
