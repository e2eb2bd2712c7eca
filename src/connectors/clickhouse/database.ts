import type { ClickHouseClient } from '@clickhouse/client';
import type { ProvenQueries } from '../query-text.ts';
import type { ServerFacts } from './server-facts.ts';

/** What every execution on one ClickHouse shares. */
export interface Database {
  readonly client: ClickHouseClient;
  readonly proven: ProvenQueries;
  /** Asked for once, when it is first needed. */
  facts(): Promise<ServerFacts>;
}
