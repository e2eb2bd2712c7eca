import type { MysqlTestServer } from '../mysql/fixture.ts';
import type { SessionFixture } from './session-contract.ts';

/** The statements that leave each trace, by its name, in a stored function. */
const traces: Readonly<Record<string, string>> = {
  'a user variable': 'SET @left_over = 1',
  'the SQL mode': "SET SESSION sql_mode = 'ANSI_QUOTES'",
  'settings of the service': `SET SESSION tx_read_only = 0, time_zone = '+03:00', max_statement_time = 0,
    sql_select_limit = 1, tx_isolation = 'SERIALIZABLE', completion_type = 1`,
  'a clock': 'SET SESSION timestamp = 1',
  'a role': 'SET ROLE clerk',
  'a temporary table': 'CREATE TEMPORARY TABLE IF NOT EXISTS items (id int, name varchar(20), note text)',
  'a lock': "SET @left_over = GET_LOCK('left_over', 0)",
  'the last number': 'SET @left_over = LAST_INSERT_ID(4711)',
  'a seed of random numbers': 'SET SESSION rand_seed1 = 4711, rand_seed2 = 4712',
};

export function mysqlSessionFixture({ open, writer }: MysqlTestServer): SessionFixture {
  return {
    open: () => open(writer, { writable: true, connections: 1 }),
    traces: Object.keys(traces),
    select: {
      whole: (trace) => `SELECT leave_trace('${trace}')`,
      failing: (trace) =>
        `SELECT IF(seq = 1, leave_trace('${trace}'), CAST(seq AS SIGNED) + IF(seq = 500, 9223372036854775807, 0)) FROM seq_1_to_1000`,
      slow: (trace) => `SELECT leave_trace('${trace}') AND SLEEP(300)`,
      endless: (trace) => `SELECT IF(seq = 1, leave_trace('${trace}'), seq) FROM seq_1_to_1000000000000`,
    },
    epilogue: {
      whole: (trace) => `INSERT INTO log SELECT leave_trace('${trace}')`,
      failing: (trace) => `INSERT INTO log SELECT leave_trace('${trace}') + 99999999999`,
      trigger: (trace) => `INSERT INTO events VALUES ('${trace}')`,
    },
    probes: [
      'SELECT DATABASE(), CURRENT_ROLE(), @left_over',
      `SELECT variable_name, session_value FROM information_schema.system_variables
       WHERE session_value IS NOT NULL AND variable_name NOT IN ('TIMESTAMP', 'RAND_SEED1', 'RAND_SEED2', 'PSEUDO_THREAD_ID') ORDER BY variable_name`,
      'SELECT count(*) FROM items',
      "SELECT IS_USED_LOCK('left_over'), LAST_INSERT_ID(), FOUND_ROWS(), ROW_COUNT()",
      "SELECT NOW() > '2020-01-01'",
      'SELECT RAND() IN (SELECT known FROM seeded)',
    ],
  };
}

/** Creates what the fixture above needs in the database. */
export async function prepareSessionTraces({ server }: MysqlTestServer): Promise<void> {
  const branches = Object.entries(traces).map(([trace, code]) => `WHEN '${trace}' THEN ${code};`);
  const known = 'INSERT INTO seeded SELECT RAND()';
  await server.execute(
    'USE shop',
    'CREATE ROLE clerk',
    'GRANT clerk TO writer',
    `CREATE FUNCTION leave_trace(trace varchar(100)) RETURNS int SQL SECURITY INVOKER BEGIN CASE trace ${branches.join(' ')} END CASE; RETURN 1; END`,
    'CREATE TABLE events (trace varchar(100))',
    'CREATE TRIGGER leaves BEFORE INSERT ON events FOR EACH ROW SET @result = leave_trace(NEW.trace)',
    'CREATE TABLE seeded (known double)',
    'SET SESSION rand_seed1 = 4711, rand_seed2 = 4712',
    ...Array.from({ length: 20 }, () => known),
  );
}
