import type { Browser, Page } from 'playwright-core';
import { publish } from '../queries/publish.ts';
import { admin, type TestService } from '../services/service.ts';
import { type Visit, visit } from './browser.ts';

const kinds = `select i as id,
  case when i % 3 = 1 then null when i % 3 = 2 then '' else coalesce(@Region, 'nowhere') end as region,
  (i * 1.5)::decimal(12, 2) as amount, i % 2 = 0 as open, timestamp '2024-01-01 08:00:00' + to_seconds(i) as at,
  9007199254740993 + i as big, repeat('long text ', 30) as note, 'number' as "2024", coalesce(@Secret, '') as kept
from range(@Rows) rows(i) order by i`;
const parameters = [
  { name: '@Rows', dataType: 'int', required: true },
  { name: '@Region', dataType: 'nvarchar(50)', required: false },
  { name: '@Secret', dataType: 'nvarchar(50)', required: false, masked: true },
];

/** A query with columns of every kind and as many rows as `@Rows` says; returns its id. */
export async function publishManyKinds(service: TestService): Promise<string> {
  const about = { name: 'Many kinds', description: 'A row of every kind.', tip: 'Try Go to row.' };
  return (await publish(service.as(admin), { ...about, sql: kinds, parameters })).id;
}

/** Opens a page with access to the clipboard. */
export async function openPage(
  browser: Browser | string,
  service: TestService,
  path: string,
  options: Parameters<typeof visit>[2] = {},
): Promise<Visit> {
  const opened = await visit(browser as Browser, service, options);
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await opened.page.goto(path);
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
  return opened;
}

export const run = (page: Page): Promise<void> => page.getByRole('button', { name: 'Run', exact: true }).click();

/** A cell of the result by row and column: `0 1`; -1 is a header. */
export const cell = (page: Page, place: string) => page.locator(`[data-position="${place}"]`);
