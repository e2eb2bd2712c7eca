import type { Variables } from './expressions.ts';
import type { Login } from './login.ts';

/** The state that clients of a server share and tests inspect. */
export interface Store {
  readonly password: string;
  readonly logins: Login[];
  readonly log: string[]; // the rows of a table
  /** Every statement received by sp_executesql, in order. */
  readonly executed: Executed[];
  running: number;
  resets: number;
  attentions: number;
  nextTransaction: bigint;
}

export interface Executed {
  readonly sql: string;
  readonly variables: Variables;
  readonly inTransaction: boolean;
  readonly lockTimeOut: string | undefined;
}
