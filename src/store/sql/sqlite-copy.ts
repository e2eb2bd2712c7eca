import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { CopiedRow, MetadataCopy } from '../metadata-copy.ts';
import { alreadyUsed, columnsOf, copiedTables, knownMigrations, tableOf } from './copy-tables.ts';
import { openSqliteStore } from './sqlite.ts';
import { storeErrorOf } from './store-errors.ts';

const PATIENCE_MS = 10_000;

export async function openSqliteCopy(file: string): Promise<MetadataCopy> {
  await (await openSqliteStore(file)).close(); // makes and migrates it
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS });
  return {
    migrations: knownMigrations,
    rows: () => rowsOf(database),
    load: (rows) => load(database, rows),
    close: async () => database.close(),
  };
}

/** One transaction that only reads: in WAL mode it sees one moment and stops nobody. */
async function* rowsOf(database: DatabaseSync): AsyncGenerator<CopiedRow> {
  database.exec('begin');
  try {
    for (const table of copiedTables) {
      for (const row of database.prepare(`select * from ${table}`).iterate()) {
        yield { table, row: row as CopiedRow['row'] }; // both stores hold texts and numbers only
      }
    }
  } finally {
    database.exec('rollback');
  }
}

async function load(database: DatabaseSync, rows: AsyncIterable<CopiedRow>): Promise<void> {
  database.exec('begin immediate');
  try {
    if (database.prepare('select 1 from users limit 1').get() !== undefined) throw alreadyUsed();
    database.exec('delete from audit_blocks');
    for await (const copied of rows) insert(database, copied);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw storeErrorOf(error, 'insert');
  }
}

function insert(database: DatabaseSync, copied: CopiedRow): void {
  const columns = columnsOf(copied);
  const places = columns.map(() => '?').join(', ');
  const values: SQLInputValue[] = Object.values(copied.row);
  database.prepare(`insert into ${tableOf(copied.table)} (${columns.join(', ')}) values (${places})`).run(...values);
}
