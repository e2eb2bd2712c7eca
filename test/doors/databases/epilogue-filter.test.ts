import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { reportFigure } from '../../support/faults/figure.ts';
import { problemOf } from '../../support/http/problem.ts';
import { publish } from '../../support/queries/publish.ts';
import { type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
  await makeDuckdbFile(service.files, 'ledger.duckdb', ['create table log (note varchar, query varchar)']);
  const database = { name: 'Ledger', kind: 'duckdb', connection: { file: 'ledger.duckdb' }, writable: true };
  await expectStatus(service.as(admin).call('POST', '/api/v1/databases', database), 201);
  const logging = `select string_agg(value, ',' order by name) as value from duckdb_settings()`;
  await publish(service.as(admin), { name: 'Settings', database: 'Ledger', sql: logging });
});
afterAll(() => service.close());

const settings = async () => (await expectStatus(service.as(admin).run('QD_Settings_Ledger'), 200)).json.Data[0]?.value;

let queries = 0;
async function validate(epilogue: string) {
  const caller = service.as(admin);
  const body = { name: `Epilogue ${++queries}`, database: 'Ledger', sql: 'select 1 as n', parameters: [], epilogue };
  const { json } = await expectStatus(caller.call<{ id: string }>('POST', '/api/v1/queries', body), 201);
  return caller.call('POST', `/api/v1/queries/${json.id}/validate`);
}

/** With a log file that cannot be written, every later statement on the database fails. */
const logging = "(storage := 'file', storage_path := '/no/such/folder')";
const meddling: readonly string[] = [
  `enable_logging${logging}`,
  `enable_logging/**/${logging}`,
  `enable_logging -- (\n ${logging}`,
  `enable_logging /* /* nested */ */ ${logging}`,
  `"enable_logging"/* */${logging}`,
  `"ENABLE_logging"\n\t${logging}`,
  `system.main.enable_logging /**/ ${logging}`,
  `"system"."main"."enable_logging"/**/${logging}`,
  `enable_logging\u00a0${logging}`,
  `enable_logging\u200b${logging}`,
  `enable_logging\u2060${logging}`,
  `query/**/('select 1')`,
  `json_execute_serialized_sql /**/ (json_serialize_sql('select 1'))`,
  'force_checkpoint/**/()',
  'truncate_duckdb_logs/**/()',
  'disable_peg_parser/**/()',
];
/** Text that DuckDB parses as code, but a parser with slightly different rules as a string. */
const disguised: readonly string[] = [
  `insert into log select $😀$ ' $😀$, a from enable_logging${logging} t(a) where 'x' <> ''`,
  `insert into log select $²$ ' $²$, a from enable_logging${logging} t(a) where 'x' <> ''`,
  `insert into log select e'\\'', a from enable_logging${logging} t(a) --'`,
  `insert into log select @e'\\'', a from enable_logging${logging} t(a) --'`,
  `insert into log select 1 as x\u2028$$, a from enable_logging${logging} t(a), (select 2 as y\u2028$$)`,
  `insert into log select 1$$ ' $$, a from enable_logging${logging} t(a) --'`,
];

test('refuses an Epilogue that calls a function that changes the engine, in any spelling', async () => {
  const before = await settings();
  const texts = [...meddling.map((call) => `insert into log select 'x', 1 from ${call}`), ...disguised];
  for (const text of texts) {
    const response = await validate(text);
    expect([text, response.status, problemOf(response).code]).toEqual([
      text,
      400,
      expect.stringMatching(/^(sql|field)_invalid$/),
    ]);
    expect(await settings(), text).toBe(before);
  }
  reportFigure(26, `${texts.length} spellings of a call that changes the engine, all refused`);
});

test.each([
  "insert into log values ('enable_logging()', $$query('x')$$)",
  'insert into log (note, query) select note, query from log',
  "update log set query = 'checkpoint' where note = '-- (' -- enable_logging()",
  `delete from log where "note" in (select i::varchar from range(3) t(i))`,
  "insert into log values ('naïve', 'ünï')",
])('accepts %s', async (epilogue) => {
  expect((await validate(epilogue)).status).toBe(200);
});
