import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresProblem } from '../../support/databases/postgres.ts';
import { openSlowPostgres, type SlowPostgres, slowRows } from '../../support/databases/slow-postgres.ts';
import { type McpCaller, mcpOf } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe.skipIf(postgresProblem() !== null)('a caller that comes back', () => {
  let service: TestService;
  let pg: SlowPostgres;
  let mcp: McpCaller;
  let ahead = 0; // of the clock
  beforeAll(async () => {
    service = await startTestService({ SLUICE_MCP_WAIT_SECONDS: '1' }, () => Date.now() + ahead);
    pg = await openSlowPostgres(service.as(admin));
    mcp = mcpOf(service, (await createKey(service.as(admin), { name: 'unasked' })).key);
  });
  afterAll(async () => {
    await service.close();
    await pg.close();
  });

  const LOOK_MS = 5_000; // between two checks for callers that wait

  test('within a minute gets the result, later it was cancelled', async () => {
    const begin = async (tool: string) => {
      const name = `${tool} ${ahead}`;
      const queryName = await pg.publish(name);
      const lock = await pg.hold();
      const format = tool === 'export_query' ? { format: 'csv' } : {};
      const { QueryMoreCode: queryMoreCode } = await mcp.tool(tool, { queryName, parameters: lock.parameters, ...format });
      const awaitEnd = async () =>
        waitUntil(
          () => mcp.call(tool, { queryMoreCode, ...format }),
          ({ json }) => !/"status":"running"/.test(JSON.stringify(json.result?.structuredContent ?? '')),
        );
      return { name, lock, awaitEnd };
    };
    const beginAll = () => Promise.all(['execute_query', 'export_query'].map(begin));

    const found: string[] = [];
    const early = await beginAll();
    ahead += 30_000; // a check is up to 5 s later
    await sleep(LOOK_MS + 500);
    for (const { name, lock, awaitEnd } of early) {
      expect(await pg.active(name)).toBe(1);
      await lock.release();
      found.push(JSON.stringify((await awaitEnd()).json.result?.structuredContent));
    }
    expect(found).toEqual([expect.stringContaining(JSON.stringify(slowRows)), expect.stringContaining('"rowCount":3')]);

    const late = await beginAll();
    ahead += 61_000;
    for (const { name, awaitEnd } of late) {
      expect(
        await waitUntil(
          () => pg.active(name),
          (count) => count === 0,
        ),
      ).toBe(0);
      expect((await awaitEnd()).json.error).toMatchObject({ code: 41001, message: expect.stringMatching(/nobody asked/i) });
    }
  });
});
