import type { Query } from '../../app/wire.ts';
import { missingParameters, startingValues } from '../parameters/parameter-values.ts';

/** Whether the user can run the query right away: it needs no values and writes nothing. */
export const runsAtOnce = (query: Query): boolean =>
  query.canRun &&
  query.epilogue === null &&
  Object.keys(missingParameters(query.parameters, startingValues(query.parameters))).length === 0;
