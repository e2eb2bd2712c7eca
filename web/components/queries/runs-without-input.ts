import type { Query } from '../../app/wire.ts';
import { missingParameters, initialValues } from '../parameters/parameter-values.ts';

/** Whether the user can run the query right away: it needs no values and writes nothing. */
export const runsWithoutInput = (query: Query): boolean =>
  query.canRun &&
  query.epilogue === null &&
  Object.keys(missingParameters(query.parameters, initialValues(query.parameters))).length === 0;
