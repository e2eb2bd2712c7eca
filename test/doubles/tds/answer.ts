import type { Row, WireColumn } from './tokens.ts';
import { wireType } from './types.ts';

/** What a statement gives. It knows the texts of the tests and nothing else: it is no database. */
export interface ApiResponse {
  readonly columns?: readonly WireColumn[];
  readonly rows?: Iterable<Row>;
  readonly ordered?: boolean; // by the first column
  /** Nothing comes until the client gives up. */
  readonly slow?: boolean;
  readonly adds?: string; // a row of `log`
  readonly count?: boolean; // the rows of `log`
  /** What a statement does that gets past the connector: it commits, or gives another result. */
  readonly commits?: boolean;
  readonly next?: ApiResponse;
  readonly remembered?: boolean; // what dbo.remembers() has left in the session
}

export const column = (name: string, type: string): WireColumn => ({ name, type: wireType(type) });
