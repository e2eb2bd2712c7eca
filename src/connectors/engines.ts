import { clickhouse } from './clickhouse/index.ts';
import type { Engine } from './connector.ts';
import { duckdb } from './duckdb/index.ts';
import { mysql } from './mysql/index.ts';
import { postgres } from './postgres/index.ts';
import { sqlite } from './sqlite/index.ts';
import { sqlserver } from './sqlserver/index.ts';
import { trino } from './trino/index.ts';

/** Every engine. Schemas of routes, the forms of the web interface and the tables of the documentation follow from this list. */
export const engines: readonly Engine[] = [duckdb, sqlite, postgres, mysql, sqlserver, clickhouse, trino];
