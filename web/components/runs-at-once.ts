import type { Query, Session } from '../app/wire.ts';
import { mayRun } from './may-run.ts';
import { missingParameters, startingValues } from './parameter-values.ts';

/** This person may run it as it is: it asks for no value and writes nothing. Fit to be proposed. */
export const runsAtOnce = (session: Session, query: Query): boolean =>
  mayRun(session, query) &&
  query.epilogue === null &&
  Object.keys(missingParameters(query.parameters, startingValues(query.parameters))).length === 0;
