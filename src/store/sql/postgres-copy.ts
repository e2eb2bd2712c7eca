import { Client, types } from 'pg';
import type { CopiedRow, MetadataCopy } from '../metadata-copy.ts';
import { alreadyUsed, columnsOf, copiedTables, knownMigrations, tableOf } from './copy-tables.ts';
import { openPostgresStore } from './postgres.ts';
import { storeErrorOf } from './store-errors.ts';

const ROWS_AT_A_TIME = 2_000;
const int8 = 20; // times and counts, far below 2^53

export async function openPostgresCopy(url: string): Promise<MetadataCopy> {
  await (await openPostgresStore(url)).close(); // makes and migrates it
  const client = new Client({
    connectionString: url,
    application_name: 'sluice copy',
    types: { getTypeParser: (id, format) => (id === int8 ? Number : types.getTypeParser(id, format)) },
  });
  await client.connect();
  return {
    migrations: knownMigrations,
    rows: () => rowsOf(client),
    load: (rows) => load(client, rows),
    close: () => client.end(),
  };
}

async function* rowsOf(client: Client): AsyncGenerator<CopiedRow> {
  await client.query('start transaction isolation level repeatable read read only');
  try {
    for (const table of copiedTables) {
      await client.query(`declare copied no scroll cursor for select * from ${table}`);
      for (;;) {
        const { rows } = await client.query<CopiedRow['row']>(`fetch ${ROWS_AT_A_TIME} from copied`);
        for (const row of rows) yield { table, row };
        if (rows.length < ROWS_AT_A_TIME) break;
      }
      await client.query('close copied');
    }
  } finally {
    await client.query('rollback');
  }
}

async function load(client: Client, rows: AsyncIterable<CopiedRow>): Promise<void> {
  await client.query('start transaction isolation level serializable');
  try {
    if ((await client.query('select 1 from users limit 1')).rows.length > 0) throw alreadyUsed();
    await client.query('delete from audit_blocks');
    let batch: CopiedRow[] = [];
    for await (const row of rows) {
      if (batch.length > 0 && !belongsTo(batch, row)) {
        await insert(client, batch);
        batch = [];
      }
      batch.push(row);
    }
    await insert(client, batch);
    // rows that come later go on after those that were loaded
    await client.query(
      "select setval(pg_get_serial_sequence('audit', 'seq'), (select coalesce(max(seq), 0) + 1 from audit), false)",
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw storeErrorOf(error, 'insert');
  }
}

const belongsTo = (batch: readonly CopiedRow[], row: CopiedRow): boolean =>
  batch.length < ROWS_AT_A_TIME && batch[0]?.table === row.table;

/** A batch is one value: whatever it holds, the statement stays short. */
async function insert(client: Client, batch: readonly CopiedRow[]): Promise<void> {
  const [first] = batch;
  if (first === undefined) return;
  const table = tableOf(first.table);
  const columns = columnsOf(first).join(', ');
  await client.query(
    `insert into ${table} (${columns}) overriding system value select ${columns} from json_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(batch.map(({ row }) => row))],
  );
}
