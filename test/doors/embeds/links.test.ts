import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { createKey, createUser, signIn } from '../../support/people/accounts.ts';
import { type EmbedLink, embedOf, getEmbedUrl, publishChartQuery, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { executeInStoreOf } from '../../support/services/metadata-store.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let issuer: Caller;
let query: { id: string; queryName: string };
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  issuer = (await createUser(service, 'issuer', { roles: ['Query User'], databases: ['*'] })).caller;
  const parameters = [
    { name: '@From', dataType: 'int', required: false, default: '0' },
    { name: '@Secret', dataType: 'nvarchar(50)', required: false, masked: true },
  ];
  query = await publishChartQuery(root, 'Linked', {
    sql: "select 'item ' || i as label, i * 10 as value, @Secret as other from range(1, 6) r(i) where i > @From",
    columns: [{ name: 'value', displayName: 'The value' }],
    parameters,
  });
});
afterAll(() => service.close());

const ask = (chart: Record<string, string | undefined> = {}, options = {}, caller = issuer) =>
  getEmbedUrl(caller, { queryName: query.queryName, dataColumn: 'The value', ...chart }, options);

describe('GetEmbedUrl', () => {
  it.each(['GET', 'POST'] as const)('%s returns a link that shows the chart to anyone', async (method) => {
    const { status, json, headers } = await ask({ title: 'A "title" & <more>' }, { method });
    expect(status).toBe(200);
    const url = `${service.url}/api/v1/EmbeddedChart/RenderByToken?token=${json.Token}`;
    expect(json).toEqual({
      Id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      Token: expect.stringMatching(/^[A-Za-z0-9_-]{40,200}$/),
      EmbedUrl: url,
      IframeCode: expect.stringContaining(`<iframe src="${url}" title="A &quot;title&quot; &amp; &lt;more&gt;"`),
      ExpiresAt: expect.stringMatching(/Z$/),
    });
    const week = 7 * 86_400_000;
    expect(Math.abs(Date.parse(json.ExpiresAt ?? '') - Date.now() - week)).toBeLessThan(60_000);
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await view(service.as(), json.Token)).status).toBe(200);
  });

  it('stores the chart settings on the server', async () => {
    const { json } = await ask({
      expirationDays: 'Never',
      chartType: 'Doughnut',
      legendPosition: 'Left',
      theme: 'dark',
      barWidth: '5',
    });
    expect(json.ExpiresAt).toBeNull();
    const { items } = (await issuer.call<{ items: { id: string; chart: object }[] }>('GET', '/api/v1/embeds')).json;
    expect(items.find(({ id }) => id === json.Id)?.chart).toEqual({
      chartType: 'donut',
      labelColumn: 'label',
      dataColumn: 'The value',
      title: 'Linked',
      chartHeight: 400,
      animationSpeed: 800,
      showToolbar: true,
      showDataLabels: false,
      showGrid: true,
      showLegend: true,
      enableZoom: true,
      enableAnimations: true,
      barOrientation: 'vertical',
      barWidth: 5,
      legendPosition: 'left',
      theme: 'dark',
      patterns: false,
      seriesColumn: null,
      aggregate: 'sum',
      sortBy: 'none',
      timeUnit: 'auto',
      stacked: 'none',
      frameAncestors: '',
    });
  });

  it('is titled like its query unless a title is sent, which may be empty', async () => {
    const titleOf = async (words: Record<string, string>) => {
      const { json } = await ask(words);
      return (await view(service.as(), json.Token)).text.match(/<title>(.*?)<\/title>/)?.[1];
    };
    expect([await titleOf({}), await titleOf({ title: 'Mine' }), await titleOf({ title: ' ' })]).toEqual([
      'Linked',
      'Mine',
      'Chart',
    ]);
  });

  it.each(['bar', 'line', 'area', 'scatter', 'pie', 'donut', 'polarArea', 'radar', 'radialBar', 'heatmap', 'treemap', 'boxPlot'])(
    'draws a %s',
    async (chartType) => {
      const { json } = await ask({ chartType });
      const page = await view(service.as(), json.Token);
      expect(page.status).toBe(200);
      expect(page.text).toContain('<svg role="img"');
    },
  );

  it('binds the given parameters and ignores others when the chart is viewed', async () => {
    const parameters = JSON.stringify([
      { ParameterName: '@From', Value: '3', DataType: 'int' },
      { ParameterName: '@Secret', Value: 'canary-secret' },
    ]);
    const { json } = await ask({ parameters });
    const { text } = await view(
      service.as(),
      json.Token,
      `&parameters=${encodeURIComponent('[{"ParameterName":"@From","Value":"0"}]')}`,
    );
    expect(text).toContain('item 5');
    expect(text).not.toContain('item 3');
    const listed = await issuer.call('GET', '/api/v1/embeds');
    expect(listed.text).toContain('"@From":"3"');
    expect(listed.text).not.toContain('canary-secret');
  });

  it('keeps every digit of a numeric parameter', async () => {
    const big = await publishChartQuery(root, 'Big', {
      sql: 'select cast(@Big as varchar) as label, 1 as value from range(1)',
      parameters: [{ name: '@Big', dataType: 'decimal(30,0)', required: true }],
    });
    const parameters = '[{"ParameterName":"@Big","Value":123456789012345678901}]';
    const link = await embedOf(issuer, { queryName: big.queryName, parameters });
    expect((await view(service.as(), link.Token)).text).toContain('123456789012345678901');
  });

  it('reads several series', async () => {
    const options = new URLSearchParams({
      queryName: query.queryName,
      chartType: 'bar',
      labelColumn: 'label',
      stacked: 'Percent',
    });
    for (const name of ['The value', 'other']) options.append('dataColumn', name);
    const issued = await issuer.call<EmbedLink>('GET', `/api/v1/EmbeddedChart/GetEmbedUrl?${options}`);
    expect(issued.status).toBe(200);
    expect((await view(service.as(), issued.json.Token)).text).toContain('"moreDataColumns":["other"]');
    await expectFieldProblem(
      issuer.call('POST', `/api/v1/EmbeddedChart/GetEmbedUrl?${options}`, { seriesColumn: 'label' }),
      'field_invalid',
      'seriesColumn',
    );
    const split = await ask({ seriesColumn: 'OTHER', aggregate: 'average', sortBy: 'Value' });
    expect((await view(service.as(), split.json.Token)).text).toContain(
      '"seriesColumn":"other","aggregate":"average","sortBy":"value"',
    );
  });

  it('takes what is left out from the chart of the query', async () => {
    const { queryName } = await publishChartQuery(root, 'Charted', {
      sql: "select 'item ' || i as label, i * 10 as value, i as weight from range(1, 6) r(i)",
      chart: { type: 'line', label: 'label', data: ['value', 'weight'], sortBy: 'label', options: { showGrid: false } },
    });
    const none = { chartType: undefined, labelColumn: undefined, dataColumn: undefined };
    const chartOf = async (options: Record<string, string | undefined>) => {
      const { Id } = await embedOf(issuer, { queryName, ...none, ...options });
      const { items } = (await issuer.call<{ items: { id: string; chart: object }[] }>('GET', '/api/v1/embeds')).json;
      return items.find(({ id }) => id === Id)?.chart;
    };
    const own = { chartType: 'line', labelColumn: 'label', sortBy: 'label', showGrid: false };
    expect(await chartOf({})).toMatchObject({ ...own, dataColumn: ['value', 'weight'] });
    expect(await chartOf({ dataColumn: 'weight', showGrid: 'true' })).toMatchObject({
      ...own,
      dataColumn: 'weight',
      showGrid: true,
    });
    expect(await chartOf({ chartType: 'bar' })).toMatchObject({ chartType: 'bar', dataColumn: ['value', 'weight'] });
  });

  it.each(['queryName', 'chartType', 'labelColumn', 'dataColumn'])('requires %s', async (field) => {
    await expectFieldProblem(ask({ [field]: undefined }), 'field_missing', field);
    await expectFieldProblem(ask({ [field]: '' }), 'field_missing', field);
  });

  it('names all chart types in the error for an unknown one', async () => {
    const { text } = await ask({ chartType: 'candlestick' });
    expect(text).toContain('Expected one of bar, ');
    expect(text).toContain(', doughnut.');
  });

  it.each([
    ['chartType', 'candlestick'],
    ['labelColumn', 'nothing'],
    ['dataColumn', 'value'], // the display name is what counts
    ['expirationDays', '0'],
    ['expirationDays', '3651'],
    ['expirationDays', '1.5'],
    ['expirationDays', '-1'],
    ['expirationDays', 'always'],
    ['chartHeight', '99'],
    ['chartHeight', '4001'],
    ['chartHeight', 'tall'],
    ['showToolbar', 'yes'],
    ['showGrid', '2'],
    ['enableZoom', 'maybe'],
    ['animationSpeed', '-5'],
    ['barOrientation', 'diagonal'],
    ['barWidth', '0'],
    ['legendPosition', 'middle'],
    ['theme', 'sepia'],
    ['title', 'x'.repeat(301)],
    ['title', 'a\nb'],
    ['parameters', '{'],
    ['parameters', '7'],
    ['parameters', '['.repeat(5000)],
  ])('refuses %s %j, naming the field', async (field, value) => {
    await expectFieldProblem(ask({ [field]: value }), 'field_invalid', field);
  });

  it('describes the query when its columns are unknown', async () => {
    const { queryName } = await publishChartQuery(root, 'Unknown columns');
    await executeInStoreOf(service, 'update query_versions set result_columns = null');
    await expectFieldProblem(ask({ queryName, dataColumn: 'nothing' }), 'field_invalid', 'dataColumn');
    expect((await ask({ queryName, dataColumn: 'value' })).status).toBe(200);
  });

  it('reports all invalid fields together', async () => {
    const { errors } = await expectProblem(ask({ chartHeight: '1', theme: 'x', barWidth: 'y' }), 400, 'field_invalid');
    expect(errors?.map(({ field }) => field)).toEqual(['chartHeight', 'barWidth', 'theme']);
  });

  it('reports open parameters together with the columns, and misses no value of them', async () => {
    const parameters = [{ name: '@Least', dataType: 'int', required: true }];
    const sql = "select 'x' as label, 1 as value where 1 >= @Least";
    const { queryName } = await publish(root, { name: 'At least', sql, parameters });
    for (const more of [{ labelColumn: 'none' }, { labelColumn: 'none', theme: 'x' }]) {
      const { errors } = await expectProblem(
        ask({ queryName, dataColumn: 'value', open: '@Least,@None', ...more }),
        400,
        'parameter_unknown',
      );
      expect(errors?.map(({ field }) => field).toSorted()).toEqual([...Object.keys(more), 'open.1'].toSorted());
    }
  });

  it('refuses values that the query does not accept, naming the parameter', async () => {
    await expectFieldProblem(ask({ parameters: '[{"ParameterName":"@From","Value":"x"}]' }), 'parameter_invalid', '@From');
    await expectFieldProblem(ask({ parameters: '[{"ParameterName":"@None","Value":"1"}]' }), 'parameter_unknown', '@None');
    await expectFieldProblem(ask({ parameters: '[{"Value":"1"}]' }), 'field_missing', 'parameters.0.ParameterName');
  });

  it('checks the credential first, then the form, then the query', async () => {
    await expectProblem(ask({ chartType: 'x' }, {}, service.as()), 401, 'credential_missing');
    await expectProblem(ask({ chartType: 'x' }, {}, service.as({ key: 'slc_nonsense' })), 401, 'credential_invalid');
    await expectProblem(ask({ chartType: 'x', queryName: 'QD_None' }), 400, 'field_invalid');
    await expectProblem(ask({ queryName: 'QD_None' }), 403, 'query_not_accessible');
    const draft = await root.call<{ queryName: string }>('POST', '/api/v1/queries', {
      name: 'Draft',
      database: 'Demo',
      sql: 'select 1',
      parameters: [],
    });
    await expectProblem(ask({ queryName: draft.json.queryName }), 403, 'query_not_accessible');
  });

  it('requires embeds.create and a key that is not narrowed', async () => {
    await root.call('POST', '/api/v1/roles', { name: 'Runner', permissions: ['queries.run'] });
    const runner = await createUser(service, 'runner', { roles: ['Runner'], databases: ['*'] });
    await expectProblem(ask({}, {}, runner.caller), 403, 'permission_denied');
    const whole = await createKey(issuer);
    expect((await ask({}, { method: 'GET' }, service.as({ key: whole.key }))).status).toBe(200);
    const narrow = await createKey(issuer, { queries: [query.queryName] });
    await expectProblem(ask({}, {}, service.as({ key: narrow.key })), 403, 'credential_not_suitable');
  });

  it('accepts the cookie on POST from own pages only', async () => {
    const cookie = service.as({ cookie: await signIn(service, { username: 'issuer', password: 'four plain words here' }) });
    expect((await ask({}, { headers: { Origin: service.url } }, cookie)).status).toBe(200);
    await expectProblem(ask({}, { headers: { Origin: 'https://evil.example' } }, cookie), 403, 'origin_not_allowed');
    await expectProblem(ask({}, { headers: { 'Content-Type': 'text/plain' } }, cookie), 415, 'media_type_unsupported');
    await expectProblem(ask({}, { method: 'GET' }, cookie), 401, 'credential_missing');
  });

  it('is audited with the id of the embed and without its token', async () => {
    const response = await ask({ parameters: '[{"ParameterName":"@Secret","Value":"canary-secret"}]' });
    const entry = await auditOf(root, response);
    expect(entry).toMatchObject({
      user: 'issuer',
      action: 'embed.create',
      query: query.queryName,
      outcome: 'ok',
      channel: 'rest',
    });
    expect(entry.parameters).toEqual({ '@From': '0', '@Secret': '***', embed: response.json.Id, days: 7 });
  });
});

it('is not available in the Standard Edition', async () => {
  const standard = await startTestService({ SLUICE_EDITION: 'standard' });
  try {
    const caller = standard.as(admin);
    for (const [method, path] of [
      ['GET', '/EmbeddedChart/GetEmbedUrl'],
      ['POST', '/EmbeddedChart/GetEmbedUrl'],
      ['GET', '/EmbeddedChart/RenderByToken?token=x'],
      ['GET', '/EmbeddedChart/RenderImage?token=x'],
      ['GET', '/embeds'],
      ['POST', '/embeds/x/regenerate'],
      ['DELETE', '/embeds/x'],
    ] as const) {
      await expectProblem(caller.call(method, `/api/v1${path}`), 404, 'not_found');
    }
  } finally {
    await standard.close();
  }
});
