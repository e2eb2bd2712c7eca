import type { BoundValue } from '../sql-value.ts';
import type { ParameterType } from './connector.ts';

/** A parameter of a statement that is prepared and not run. */
export const unbound = ({ name, type }: ParameterType): BoundValue => ({ name, type, value: null });
