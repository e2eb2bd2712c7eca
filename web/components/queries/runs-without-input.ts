import type { Query } from '../../app/wire.ts';
import { findMissing, toInitialValues } from '../parameters/parameter-values.ts';

/** Whether the user can run the query right away: it needs no values and writes nothing. */
export const runsWithoutInput = (query: Query): boolean =>
  query.canRun &&
  query.epilogue === null &&
  Object.keys(findMissing(query.parameters, toInitialValues(query.parameters))).length === 0;
