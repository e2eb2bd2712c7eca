import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDuckdbFile } from '../support/databases/duckdb-file.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { mebibytes, readResidentMemory, resetPeak } from '../support/faults/resident-memory.ts';
import { expectFieldProblem } from '../support/http/problem.ts';
import { type Account, createQueryUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

// Choices come from queries of any size. Reading them takes little memory, and the database searches them.

const SHORT = Number(process.env.TEST_SHORT_CHOICES ?? 300_000); // the long form: 4,000,000
const WIDE = Number(process.env.TEST_WIDE_CHOICES ?? 10_000); // the long form: 150,000
const WIDE_BYTES = 10_000;
const MAX_MEMORY = 200 * 2 ** 20;

let service: TestService;
let ana: Account;
const figures: string[] = [];

beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
  const root = service.as(admin);
  const file = await makeDuckdbFile(service.files, 'choices.duckdb', [
    `create table short as select range::varchar as code, 'Label ' || range as label, range::decimal(18, 2) as amount from range(${SHORT})`,
    `create table wide as select range || repeat('x', ${WIDE_BYTES}) as code from range(${WIDE})`,
  ]);
  await expectStatus(root.call('POST', '/api/v1/databases', { name: 'Many', kind: 'duckdb', connection: { file } }), 201);
  const database = 'Many';
  await publish(root, { name: 'Short', database, sql: 'select code, label from short order by code; -- all' });
  await publish(root, { name: 'Wide', database, sql: 'with w as (select code from wide) select code from w' });
  await publish(root, { name: 'Amounts', database, sql: 'select amount, label from short' });
  const parameter = (name: string, dataType: string, query: string, value: string, label = value) => ({
    name,
    dataType,
    choices: { query: `QD_${query}_Many`, value, label },
    choicesOnly: true,
  });
  await publish(root, {
    name: 'Chosen',
    database,
    sql: 'select @Short as short, @Amount as amount, length(@Wide) as wide',
    parameters: [
      parameter('@Short', 'nvarchar(20)', 'Short', 'code', 'label'),
      parameter('@Wide', 'nvarchar(max)', 'Wide', 'code'),
      parameter('@Amount', 'decimal(18,2)', 'Amounts', 'amount'),
    ],
  });
  ana = await createQueryUser(service, 'ana');
}, 300_000);
afterAll(async () => {
  reportFigure(36, figures.join('; '));
  await service.close();
});

interface Page {
  readonly items: readonly { readonly value: string; readonly label: string }[];
  readonly truncated: boolean;
}

/** The result of a call, with a bound on the memory that it takes. */
async function measured<T>(what: string, work: () => Promise<T>): Promise<T> {
  const before = readResidentMemory(process.pid).now;
  resetPeak(process.pid);
  const start = performance.now();
  const result = await work();
  const grown = readResidentMemory(process.pid).peak - before;
  figures.push(`${what} ${Math.round(performance.now() - start)} ms, ${mebibytes(grown)}`);
  expect(grown).toBeLessThan(MAX_MEMORY);
  return result;
}

const choices = async (query: Record<string, string>): Promise<Page> =>
  (await expectStatus(ana.caller.call<Page>('GET', `/api/v1/queries/QD_Chosen_Many/choices?${new URLSearchParams(query)}`), 200))
    .json;
const last = String(SHORT - 1);

describe(`${SHORT} short choices`, () => {
  test('returns the first ones quickly', async () => {
    const page = await measured('first of the short', () => choices({ parameter: '@Short', limit: '5' }));
    expect(page).toMatchObject({ truncated: true, items: { length: 5 } });
  });

  test('finds the only match', async () => {
    const page = await measured('one short', () => choices({ parameter: '@Short', search: `LABEL ${last}` }));
    expect(page).toEqual({ items: [{ value: last, label: `Label ${last}` }], truncated: false });
  });

  test('returns none if none matches', async () => {
    const page = await measured('no short', () => choices({ parameter: '@Short', search: 'Label_' }));
    expect(page).toEqual({ items: [], truncated: false });
  });

  test('decides whether a value is allowed by choicesOnly', async () => {
    await measured('a short that is one', () =>
      expectStatus(ana.caller.run('QD_Chosen_Many', [{ ParameterName: '@Short', Value: last }]), 200),
    );
    await measured('a short that is none', () =>
      expectFieldProblem(
        ana.caller.run('QD_Chosen_Many', [{ ParameterName: '@Short', Value: 'x1' }]),
        'parameter_invalid',
        '@Short',
      ),
    );
  });

  test('reads those that the database does not search up to a limit', async () => {
    const page = await measured('amounts', () => choices({ parameter: '@Amount', search: 'nothing like it' }));
    expect(page).toEqual({ items: [], truncated: true });
    const refused = ana.caller.run('QD_Chosen_Many', [{ ParameterName: '@Amount', Value: '0.5' }]);
    const { errors } = (await expectStatus(refused, 400)).json as unknown as { errors: { field: string; message: string }[] };
    expect(errors).toMatchObject([{ field: '@Amount', message: expect.stringContaining('more choices than a call reads') }]);
  });
});

describe(`${WIDE} wide choices`, () => {
  test('limits the size of a page', async () => {
    const page = await measured('first of the wide', () => choices({ parameter: '@Wide', limit: '1000' }));
    expect(page.truncated).toBe(true);
    expect(page.items.length).toBeGreaterThan(100);
  });

  test('returns none if none matches', async () => {
    const page = await measured('no wide', () => choices({ parameter: '@Wide', search: 'qyz' }));
    expect(page.items).toEqual([]);
    const long = await measured('no wide, read through', () => choices({ parameter: '@Wide', search: 'é' }));
    expect(long).toEqual({ items: [], truncated: true });
  });

  test('decides whether a value is allowed by choicesOnly', async () => {
    const value = `${WIDE - 1}${'x'.repeat(WIDE_BYTES)}`;
    const run = (Value: string) => ana.caller.run('QD_Chosen_Many', [{ ParameterName: '@Wide', Value }]);
    await measured('a wide that is one', () => expectStatus(run(value), 200));
    await measured('a wide that is none', () => expectFieldProblem(run(`${value}y`), 'parameter_invalid', '@Wide'));
  });
});
