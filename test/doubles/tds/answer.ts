import type { Row, WireColumn } from './tokens.ts';
import { wireType } from './types.ts';

/** The result of a statement. Only the statements of the tests are known. */
export interface ApiResponse {
  readonly columns?: readonly WireColumn[];
  readonly rows?: Iterable<Row>;
  readonly ordered?: boolean; // by the first column
  /** Sends nothing until the client cancels. */
  readonly slow?: boolean;
  readonly adds?: string; // a row of `log`
  readonly count?: boolean; // the rows of `log`
  /** The effect of a statement that the connector fails to refuse: it commits, or returns another result. */
  readonly commits?: boolean;
  readonly next?: ApiResponse;
  readonly remembered?: boolean; // session state left by dbo.remembers()
}

export const column = (name: string, type: string): WireColumn => ({ name, type: wireType(type) });
