import { randomUUID } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import type { Query } from '../catalog/query.ts';
import { type Result, succeeded } from '../core/errors.ts';
import type { Call } from '../pipeline/call.ts';
import { createDeliver, type DeliverParts } from '../pipeline/deliver.ts';
import type { FindIssuer } from '../pipeline/steps/authenticate.ts';
import type { ReadFigure } from '../pipeline/steps/figures.ts';
import type { TakePage } from '../pipeline/use-cases/page.ts';
import { createDeliverPage } from '../pipeline/use-cases/take-page.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { ADMIN, DEMO_MADE } from './first-start.ts';

export interface DemoFigureParts {
  readonly store: MetadataStore;
  readonly deliverParts: DeliverParts;
  readonly takePage: TakePage;
  readonly readFigure: ReadFigure;
  readonly findIssuer: FindIssuer;
  readonly now: () => number;
}

const DONE = 'demo.figures';
const MOST = 20;
const NOBODY = 'the first start'; // does not use the administrator's slots

/**
 * Runs the demo's queries with charts once, so that the first home page has figures. The runs are audited as management, by
 * the administrator, and count as nobody's use.
 */
export async function drawDemoFigures(parts: DemoFigureParts, signal: AbortSignal): Promise<void> {
  const { store, readFigure, now } = parts;
  const administrator = (await claim(store)) ? await store.principals.byUsername(ADMIN) : null;
  const found = administrator && (await parts.findIssuer({ userId: administrator.user.id, keyId: null }));
  const principal = found && { ...found, userId: NOBODY };
  const demo = (await store.databases.listAll()).find(({ builtIn }) => builtIn);
  if (!principal || demo === undefined) return;
  const authenticate = async (): Promise<Result<Principal>> => succeeded(principal);
  const deliver = createDeliver({ ...parts.deliverParts, authenticate, countRun: () => undefined });
  const deliverPage = createDeliverPage(deliver, parts.takePage);
  const { items } = await store.catalog.list({ statuses: ['Active'], databaseIds: [demo.id], limit: 50 });
  for (const { id } of items.filter(isDrawn).slice(0, MOST)) {
    if (signal.aborted) return;
    await deliverPage(callBy(signal, now()), () => succeeded({ run: { id }, parameters: [] }));
    await readFigure(principal, id);
  }
}

const isDrawn = ({ current: { definition } }: Query): boolean =>
  definition.chart !== undefined && definition.parameters.every((each) => !each.required || each.default !== undefined);

/** Once, and on one of several replicas. */
const claim = (store: MetadataStore): Promise<boolean> =>
  store.transaction(async ({ settings }) => {
    const known = await settings.readAll();
    if (known[DEMO_MADE] !== true || known[DONE] === true) return false;
    await settings.set(DONE, true);
    return true;
  });

const callBy = (signal: AbortSignal, startedAt: number): Call => ({
  ...{ requestId: randomUUID(), channel: 'management', credential: { kind: 'none' }, address: '', startedAt, signal },
  action: 'query.figure',
  client: 'the first start',
  onEnd: () => undefined,
});
