import type { Connector, OpenRequest } from '../../../src/connectors/connector.ts';
import { trino } from '../../../src/connectors/trino/index.ts';
import type { ConnectorFixture } from '../connector-contract.ts';
import { trinoCells, trinoEchoes } from './cells.ts';
import { trinoRefused, trinoSql } from './sql.ts';

const connections = 3;

export interface TrinoTarget {
  readonly connection: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  canary(): Promise<string>;
}

export const trinoRequest = ({ connection, settings = {} }: Omit<TrinoTarget, 'canary'>, writable = false): OpenRequest => ({
  name: 'test',
  connection,
  settings,
  writable,
  context: { fileFolders: [], trustedFiles: [], dataFolder: '', scratchFolder: '', connections },
});

/** `target` is called when a connector is opened, when the server has been started. */
export function trinoFixture(target: () => TrinoTarget): ConnectorFixture {
  return {
    connections,
    transactions: false,
    async open({ writable }) {
      const connector: Connector = await trino.open(trinoRequest(target(), writable));
      return { connector, canary: () => target().canary(), close: () => connector.close() };
    },
    sql: {
      series: trinoSql.series,
      slow: trinoSql.slow,
      endless: trinoSql.endless,
      failingAt: trinoSql.failingAt,
      empty: { sql: trinoSql.empty, columns: ['id', 'name'] },
      twice: trinoSql.twice,
      invalid: [
        { sql: 'SELECT nope FROM items', message: /'nope'/, line: 1, column: 8 },
        { sql: 'SELECT\n  @Number AS "it\'s 😀", nope\nFROM items', message: /'nope'/, line: 2, column: 25 },
        { sql: 'SELEC 1', message: /mismatched input/, line: 1 },
        { sql: 'SELECT ? AS a', message: /parameters/ },
        { sql: 'SELECT (1', message: /parentheses/ },
      ].map(({ line, ...rest }) => ('column' in rest && line !== undefined ? { ...rest, line } : rest)),
      refused: trinoRefused,
      epilogue: { add: 'INSERT INTO items VALUES (@Number, NULL)', broken: 'INSERT INTO nope VALUES (1)', count: trinoSql.count },
    },
    cells: trinoCells,
    echoes: trinoEchoes,
    echo: () => 'SELECT @Value AS value',
    table: { schema: 'shop', name: 'items', columns: ['id', 'name'], view: 'shown_items' },
    escapes: trinoRefused,
  };
}
