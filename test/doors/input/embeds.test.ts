import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../support/http/problem.ts';
import { createKey, signIn } from '../../support/people/accounts.ts';
import { publishChartQuery } from '../../support/queries/embeds.ts';
import { type ApiResponse, admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let caller: Caller;
let queryName: string;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  caller = service.as({ key: (await createKey(root)).key });
  ({ queryName } = await publishChartQuery(root, 'Shown', {
    sql: "select 'item ' || i as Label, i * 10 as Amount, @Secret as s from range(1, 6) r(i) where i > @From",
    parameters: [
      { name: '@From', dataType: 'int', required: false, default: '0' },
      { name: '@Secret', dataType: 'nvarchar(20)', required: false, masked: true },
    ],
  }));
});
afterAll(() => service.close());

const PATH = '/api/v1/EmbeddedChart/GetEmbedUrl';
const plain = () => ({ queryName, chartType: 'bar', labelColumn: 'Label', dataColumn: 'Amount' });
const text = (fields: Record<string, unknown>) =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])).toString();

/** The three ways to send the options. */
const ways: readonly [string, (fields: Record<string, unknown>, as?: Caller) => Promise<ApiResponse<Record<string, unknown>>>][] =
  [
    ['the query string', (fields, as = caller) => as.call('POST', `${PATH}?${text(fields)}`)],
    ['a JSON body', (fields, as = caller) => as.call('POST', PATH, fields)],
    [
      'a form body',
      (fields, as = caller) =>
        as.call('POST', PATH, text(fields), { 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8' }),
    ],
  ];

interface Shown {
  readonly id: string;
  readonly chart: Record<string, unknown>;
  readonly parameters: Record<string, unknown>;
  readonly expiresAt: string | null;
}
async function shown(sent: Promise<ApiResponse<Record<string, unknown>>>): Promise<Shown> {
  const response = await sent;
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  const { items } = (await root.call<{ items: Shown[] }>('GET', '/api/v1/embeds?limit=1000')).json;
  const found = items.find(({ id }) => id === response.json.Id);
  if (found === undefined) throw new Error('not listed');
  return found;
}

describe.each(ways)('GetEmbedUrl by %s', (_, send) => {
  test.each([
    [{ chartType: 'Bar Chart' }, { chartType: 'bar' }],
    [{ chartType: 'BAR' }, { chartType: 'bar' }],
    [{ chartType: 'Polar Area Chart' }, { chartType: 'polarArea' }],
    [{ chartType: 'boxplot' }, { chartType: 'boxPlot' }],
    [{ chartType: 'Doughnut Chart' }, { chartType: 'donut' }],
    [{ CHARTTYPE: 'line', chartType: undefined }, { chartType: 'line' }],
    [
      { showGrid: '0', ShowLegend: 'FALSE', showDataLabels: 1 },
      { showGrid: false, showLegend: false, showDataLabels: true },
    ],
    [
      { showToolbar: 'True', enableZoom: false },
      { showToolbar: true, enableZoom: false },
    ],
    [
      { legendPosition: 'LEFT', barOrientation: 'Horizontal', theme: 'Dark' },
      { legendPosition: 'left', barOrientation: 'horizontal', theme: 'dark' },
    ],
    [
      { chartHeight: 500, barWidth: '70' },
      { chartHeight: 500, barWidth: 70 },
    ],
    [
      { labelColumn: 'LABEL', dataColumn: 'amount' },
      { labelColumn: 'Label', dataColumn: 'Amount' },
    ],
  ])('takes %j', async (sent, expected) => {
    const fields = Object.fromEntries(Object.entries({ ...plain(), ...sent }).filter(([, value]) => value !== undefined));
    expect((await shown(send(fields))).chart).toMatchObject(expected);
  });

  test('takes queryName in another case, days and parameters', async () => {
    const parameters = JSON.stringify([{ parametername: 'FROM', value: 3 }]);
    const embed = await shown(send({ ...plain(), queryName: queryName.toUpperCase(), ExpirationDays: 'NEVER', parameters }));
    expect(embed).toMatchObject({ queryName, expiresAt: null, parameters: { '@From': '3' } });
    expect((await shown(send({ ...plain(), parameters: '{"from":2}' }))).parameters).toEqual({ '@From': '2' });
  });

  test('masks a value that was sent under another spelling of its name', async () => {
    const embed = await shown(send({ ...plain(), parameters: '{"SECRET":"canary"}' }));
    expect(embed.parameters).toEqual({ '@Secret': '***' });
  });

  test('lists every problem at once and suggests names', async () => {
    const sent = send({ ...plain(), chartTyp: 'bar', chartType: '', showGrid: 'yes', barWidth: 0, titel: 'x' });
    const { errors } = await expectProblem(sent, 400, 'field_unknown');
    expect(errors?.map(({ field, code }) => [field, code])).toEqual([
      ['chartTyp', 'field_unknown'],
      ['titel', 'field_unknown'],
      ['showGrid', 'field_invalid'],
      ['barWidth', 'field_invalid'],
    ]);
    expect(errors?.[0]?.message).toContain('Did you mean "chartType"?');
    expect(errors?.[1]?.message).toContain('Did you mean "title"?');
    const columns = send({ ...plain(), chartType: 'bat', dataColumn: 'none', barWidth: 0, parameters: '{"@Form":1}' });
    expect((await expectProblem(columns, 400, 'parameter_unknown')).errors?.map(({ field }) => field)).toEqual([
      '@Form',
      'chartType',
      'barWidth',
      'dataColumn',
    ]);
    // what is left out may come from the chart of the query
    const missing = await expectProblem(send({ queryName }), 400, 'field_missing');
    expect(missing.errors?.map(({ field }) => field)).toEqual(['chartType', 'labelColumn', 'dataColumn']);
  });
});

test('a JSON body may have parameters as they are', async () => {
  for (const parameters of [{ '@From': 4 }, [{ ParameterName: '@From', Value: '4' }]])
    expect((await shown(caller.call('POST', PATH, { ...plain(), parameters }))).parameters).toEqual({ '@From': '4' });
});

test('the body wins over the query string', async () => {
  const embed = await shown(caller.call('POST', `${PATH}?title=a&chartHeight=200`, { ...plain(), title: 'b' }));
  expect(embed.chart).toMatchObject({ title: 'b', chartHeight: 200 });
});

test('a repeated option is refused', async () => {
  const { errors } = await expectProblem(caller.call('POST', `${PATH}?${text(plain())}&title=a&title=b`), 400, 'field_invalid');
  expect(errors?.map(({ field }) => field)).toEqual(['title']);
  await expectProblem(caller.call('POST', `${PATH}?${text(plain())}&theme=dark&Theme=light`), 400, 'field_invalid');
});

test('GET takes the query string, in any case of the path', async () => {
  expect((await caller.call('GET', `${PATH.toLowerCase()}/?${text(plain()).replace('queryName', 'QUERYNAME')}`)).status).toBe(
    200,
  );
});

test('a form is refused with the cookie', async () => {
  const cookie = service.as({ cookie: await signIn(service, admin) });
  const headers = { Origin: service.url, 'Content-Type': 'application/x-www-form-urlencoded' };
  await expectProblem(cookie.call('POST', PATH, text(plain()), headers), 415, 'media_type_unsupported');
  expect((await cookie.call('POST', PATH, plain(), { Origin: service.url })).status).toBe(200);
});

test('links work with names in another case, and with what mail clients add', async () => {
  const { json } = await caller.call('POST', PATH, plain());
  const anyone = service.as();
  expect((await anyone.call('GET', `/api/v1/embeddedchart/renderbytoken?TOKEN=${json.Token}&utm_source=mail`)).status).toBe(200);
  const image = await anyone.call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${json.Token}&Format=PNG`);
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
});
