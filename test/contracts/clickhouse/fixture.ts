import { clickhouse } from '../../../src/connectors/clickhouse/index.ts';
import type { OpenRequest } from '../../../src/connectors/connector.ts';
import type { ConnectorFixture } from '../connector-contract.ts';
import { clickHouseCells, clickHouseEchoes, newerClickHouseCells } from './cells.ts';
import { clickHouseEscapes, clickHouseRefused, clickHouseSql } from './sql.ts';

const connections = 3;

export interface ClickHouseTarget {
  readonly connection: Readonly<Record<string, unknown>>;
  canary(): Promise<string>;
}

export const clickHouseRequest = (
  connection: ClickHouseTarget['connection'],
  settings: OpenRequest['settings'] = {},
  writable = false,
): OpenRequest => ({
  name: 'test',
  connection,
  settings,
  writable,
  context: { fileFolders: [], trustedFiles: [], dataFolder: '', scratchFolder: '', connections },
});

/** `old`: a server without parameters. */
export function clickHouseFixture(
  target: () => ClickHouseTarget,
  { old, settings }: { old: boolean; settings?: OpenRequest['settings'] },
): ConnectorFixture {
  return {
    connections,
    transactions: false,
    parameters: !old,
    async open({ writable }) {
      const connector = await clickhouse.open(clickHouseRequest(target().connection, settings, writable));
      return { connector, canary: () => target().canary(), close: () => connector.close() };
    },
    sql: {
      series: clickHouseSql.series,
      slow: clickHouseSql.slow,
      endless: clickHouseSql.endless,
      failingAt: clickHouseSql.failingAt,
      failure: /Cannot parse/,
      empty: { sql: clickHouseSql.empty, columns: ['id', 'name'] },
      twice: clickHouseSql.twice,
      invalid: [
        { sql: 'SELECT nope FROM shop.items', message: /nope/ },
        { sql: 'SELECT id\nFROM shop.items\n  WHERRE id x', message: /Syntax error/, line: 3, column: 10 },
        { sql: 'SELECT (1', message: /parentheses/ },
      ],
      refused: clickHouseRefused,
      epilogue: {
        add: 'INSERT INTO shop.items VALUES (@Number, NULL)',
        broken: 'INSERT INTO nope VALUES (1)',
        count: clickHouseSql.count,
      },
    },
    cells: old ? clickHouseCells : [...clickHouseCells, ...newerClickHouseCells],
    echoes: clickHouseEchoes,
    echo: () => 'SELECT @Value AS value',
    table: { schema: 'shop', name: 'items', columns: ['id', 'name'], view: 'shown_items' },
    escapes: clickHouseEscapes,
  };
}
