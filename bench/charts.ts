import { callApi, publish, startSluice } from './sluice.ts';
import type { Line } from './table.ts';
import { median } from './walk.ts';

interface DemoQuery {
  readonly name: string;
  readonly id: string;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const labels = ['Region', 'Ordered at', 'Product', 'Channel'];

/** What Query To Chart waits for when a control changes: another drawing of 100,000 rows that are stored already. */
export async function measureCharts(rounds: number): Promise<readonly Line[]> {
  const server = await startSluice(new URL('postgres://nowhere'), { SLUICE_DEMO: 'on' }, { isPrepared: false });
  try {
    const { url } = server;
    const { items } = await callApi<{ items: DemoQuery[] }>(url, 'GET', '/api/v1/queries?search=Order%20lines');
    const [found] = items;
    if (found === undefined) throw new Error('The demo has no order lines.');
    const { sql, parameters, columns } = await callApi<DemoQuery & { columns: { name: string; displayName: string }[] }>(
      url,
      'GET',
      `/api/v1/queries/${found.id}`,
    );
    const named = columns.map(({ name, displayName }) => `"${name}" as "${displayName}"`).join(', ');
    await publish(url, 'lines', `select ${named} from (${sql}) l limit 100000`, parameters, 'Demo');
    const draw = async (labelColumn: string, QueryMoreCode?: string) => {
      const body = {
        QueryName: 'QD_lines_Demo',
        Parameters: [],
        QueryMoreCode,
        labelColumn,
        dataColumn: 'Net amount',
        chartType: 'bar',
      };
      const startedAt = performance.now();
      const summary = await callApi<{ rowsRead: number; QueryMoreCode: string }>(
        url,
        'POST',
        '/api/v1/ChartBuilder/Summary',
        body,
      );
      if (summary.rowsRead !== 100_000) throw new Error(`${summary.rowsRead} rows were read.`);
      return { ms: performance.now() - startedAt, code: summary.QueryMoreCode };
    };
    const first = await draw('Region');
    const later: number[] = [];
    for (let round = 0; round < 4 * rounds; round++) later.push((await draw(labels[round % labels.length] ?? '', first.code)).ms);
    return [
      { what: 'chart of 100,000 rows, first drawing', value: first.ms, unit: 'ms' },
      { what: 'chart of 100,000 rows, after a control changed', value: median(later), unit: 'ms', goal: { atMost: 300 } },
    ];
  } finally {
    await server.stop();
  }
}
