import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childrenOf } from '../support/databases/engine-processes.ts';
import { addEveryEngine, type Engines, ordersOf, ordersSql } from '../support/databases/every-engine.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { createQueryUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import {
  type ApiResponse,
  type Caller,
  type ResultPage,
  type TestService,
  admin,
  startTestService,
} from '../support/services/service.ts';

const CALLS = 16; // the limit per user

let service: TestService;
let engines: Engines;
let author: Caller;
beforeAll(async () => {
  service = await startTestService({ SLUICE_MAX_PER_DATABASE: '32' });
  engines = await addEveryEngine(service);
  author = service.as(admin);
}, 120_000);
afterAll(async () => {
  await engines.close();
  await service.close();
});

const namesOf = (lists: number): readonly string[] => Array.from({ length: lists }, (_, index) => `@L${index}`);
const declareLists = (lists: number) =>
  namesOf(lists).map((name) => ({ name, dataType: 'varchar(20)', required: false, multiple: true }));
/** Lists of values that do not occur, except one. */
const sendLists = (lists: number, values: number) =>
  namesOf(lists).map((ParameterName, list) => ({
    ParameterName,
    Value: Array.from({ length: values }, (_, index) => (list === 0 && index === 0 ? 'North' : `v${list}_${index}`)),
  }));
const listsSql = (lists: number): string =>
  ordersSql(
    namesOf(lists)
      .map((name) => `IN (${name})`)
      .join(' OR region '),
  );
const valuesOf = ({ json }: ApiResponse<ResultPage>): readonly unknown[] => json.Data.map(({ value }) => value);

test(
  'every engine accepts 20 lists of 1,000 values, or the response names them and the limit',
  { timeout: 300_000 },
  async () => {
    const outcomes: Record<string, number> = {};
    // the simulated servers recognize one list only
    for (const database of engines.names.filter((name) => !['SqlServer', 'Trino'].includes(name))) {
      const query = { name: `Lists on ${database}`, database, parameters: declareLists(20), sql: listsSql(20) };
      const { queryName } = await publish(author, query);
      const response = await author.run(queryName, sendLists(20, 1000));
      outcomes[database] = response.status;
      if (response.status === 200) expect(valuesOf(response)).toEqual(ordersOf('North'));
      else
        expect(response.json).toMatchObject({
          status: 400,
          code: 'parameter_invalid',
          detail: expect.stringMatching(/@L0, @L1.*at most [25]000/),
        });
      // the largest that fits everywhere
      expect(valuesOf(await author.run(queryName, sendLists(20, 100)))).toEqual(ordersOf('North'));
    }
    reportFigure(
      43,
      `20 lists of 1,000 values: ${Object.entries(outcomes)
        .map(([name, status]) => `${name} ${status}`)
        .join(', ')}`,
    );
  },
);

test('a list counts once for each use in the SQL', async () => {
  const sql = ordersSql(Array.from({ length: 20 }, () => 'IN (@L0)').join(' OR region '));
  const { queryName } = await publish(author, { name: 'Often', database: 'Duck', parameters: declareLists(1), sql });
  expect((await author.run(queryName, sendLists(1, 1000))).json).toMatchObject({ status: 400, code: 'parameter_invalid' });
  expect(valuesOf(await author.run(queryName, sendLists(1, 100)))).toEqual(ordersOf('North'));
});

describe.each([
  { database: 'Duck', lists: 2 },
  { database: 'Sqlite', lists: 5 },
])('$database', ({ database, lists }) => {
  test(`runs ${CALLS} statements of ${lists},000 values at once, and other calls meanwhile`, { timeout: 300_000 }, async () => {
    const sql = listsSql(lists);
    const { queryName } = await publish(author, { name: `Five on ${database}`, database, parameters: declareLists(lists), sql });
    const { queryName: plain } = await publish(author, { name: `Plain on ${database}`, database, sql: ordersSql("= 'South'") });
    const one = (await createQueryUser(service, `one on ${database}`)).caller;
    const other = (await createQueryUser(service, `other on ${database}`)).caller;
    expect(valuesOf(await other.run(plain))).toEqual(ordersOf('South'));
    const before = await childrenOf('/child/main.ts');

    let isOver = false;
    let meanwhile = 0;
    const others = (async () => {
      while (!isOver) {
        expect((await other.run(plain)).status).toBe(200);
        meanwhile++;
      }
    })();
    const responses = await Promise.all(Array.from({ length: CALLS }, () => one.run(queryName, sendLists(lists, 1000))));
    isOver = true;
    await others;
    expect(responses.map(({ status }) => status)).toEqual(Array(CALLS).fill(200));
    expect(meanwhile).toBeGreaterThan(1);
    const after = new Set(await childrenOf('/child/main.ts'));
    expect(
      before.filter((pid) => !after.has(pid)),
      'processes that ended',
    ).toEqual([]);
    reportFigure(43, `${CALLS} statements of ${lists},000 values on ${database}: all 200, ${meanwhile} other calls meanwhile`);
  });
});
