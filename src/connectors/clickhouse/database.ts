import type { ClickHouseClient } from '@clickhouse/client';
import type { ProvenQueries } from '../query-text.ts';
import type { ServerFacts } from './server-facts.ts';

/** Shared by all executions on one server. */
export interface Database {
  readonly client: ClickHouseClient;
  readonly proven: ProvenQueries;
  /** Queried on first use. */
  facts(): Promise<ServerFacts>;
}
