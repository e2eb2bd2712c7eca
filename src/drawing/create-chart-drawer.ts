import { Worker } from 'node:worker_threads';
import { type ChartDrawer, type ChartDrawing, type ChartPicture, DrawFailed } from './chart-drawer.ts';
import type { DrawJob, WorkerMessage } from './draw-job.ts';

export interface ChartDrawerOptions {
  readonly maxMs: number; // for one picture
  readonly workers?: number; // at most; 1 unless said
  readonly idleMs?: number; // a worker without work ends after it; a minute unless said
  readonly maxWaiting?: number; // pictures that may wait for a worker; 64 unless said
  readonly maxWaitingOfOwner?: number; // a quarter of them unless said
}

interface Order {
  readonly job: DrawJob;
  readonly resolve: (drawn: Drawn) => void;
  readonly reject: (failure: DrawFailed) => void;
}

interface Drawn {
  readonly picture: ChartPicture | null;
  readonly png: Uint8Array | null;
}

const startMs = 30_000; // to load; a machine may be busy
const memoryMb = 512;

/** Workers are started when there is something to draw, stopped when it takes too long, and end when nothing comes. */
export function createChartDrawer(options: ChartDrawerOptions): ChartDrawer {
  const { maxMs, workers = 1, idleMs = 60_000, maxWaiting = 64, maxWaitingOfOwner = Math.ceil(maxWaiting / 4) } = options;
  const hands = new Set<Hand>();
  const waiting: Order[] = [];
  let closed = false;

  const give = (): void => {
    while (waiting.length > 0) {
      const hand = [...hands].find(({ free }) => free) ?? (hands.size < workers ? hire() : undefined);
      if (!hand) return;
      const order = waiting.shift();
      if (order) hand.take(order);
    }
  };
  const hire = (): Hand => {
    const hand = createHand({ maxMs, idleMs, onFree: give, onEnd: () => hands.delete(hand) && give() });
    hands.add(hand);
    return hand;
  };
  const ask = (job: DrawJob): Promise<Drawn> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new DrawFailed('closed', 'The drawer is closed.'));
      const owner = ownerOf(job);
      const ofOwner = owner === undefined ? 0 : waiting.filter((each) => ownerOf(each.job) === owner).length;
      if (waiting.length >= maxWaiting || ofOwner >= maxWaitingOfOwner)
        return reject(new DrawFailed('too busy', 'Too many charts are waiting to be drawn.'));
      waiting.push({ job, resolve, reject });
      give();
    });

  const picture = async (drawing: ChartDrawing): Promise<ChartPicture> => {
    const { picture: drawn } = await ask({ as: 'svg', drawing });
    if (drawn === null) throw new DrawFailed('broken', 'The worker gave no picture.');
    return drawn;
  };

  return {
    picture,
    svg: async (drawing) => (await picture(drawing)).svg,
    png: async (drawing, scale = 2) => bytesOf(await ask({ as: 'png', drawing, scale })),
    pngOf: async (svg, scale = 2) => bytesOf(await ask({ as: 'png', svg, scale })),
    close: async () => {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(new DrawFailed('closed', 'The drawer was closed.'));
      await Promise.all([...hands].map((hand) => hand.end(new DrawFailed('closed', 'The drawer was closed.'))));
    },
  };
}

const ownerOf = (job: DrawJob): string | undefined => ('drawing' in job ? job.drawing.owner : undefined);

const bytesOf = ({ png }: Drawn): Buffer => Buffer.from(png ?? []);

interface Hand {
  readonly free: boolean;
  take(order: Order): void;
  end(why: DrawFailed): Promise<void>;
}

interface HandOptions {
  readonly maxMs: number;
  readonly idleMs: number;
  readonly onFree: () => void;
  readonly onEnd: () => void;
}

/** One worker and the picture that it works on. */
function createHand({ maxMs, idleMs, onFree, onEnd }: HandOptions): Hand {
  const worker = new Worker(new URL('./draw-worker.ts', import.meta.url), {
    name: 'chart-drawer',
    env: { NODE_ENV: 'production' }, // nothing of ours, and no advice for developers from the chart library
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  let ready = false;
  let ended = false;
  let order: Order | null = null;
  let timer: NodeJS.Timeout | undefined;

  const after = (ms: number, why: DrawFailed): void => {
    clearTimeout(timer);
    timer = setTimeout(() => end(why), ms);
  };
  const begin = (): void => {
    if (!order) return;
    after(maxMs, new DrawFailed('too slow', `The chart took longer than ${maxMs} ms to draw.`));
    worker.postMessage(order.job);
  };
  const end = async (why: DrawFailed): Promise<void> => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    order?.reject(why);
    order = null;
    onEnd();
    await worker.terminate();
  };
  const rest = (): void => {
    order = null;
    worker.unref();
    after(idleMs, new DrawFailed('closed', 'The worker had nothing to do.'));
    timer?.unref();
    onFree();
  };

  worker.on('message', (message: WorkerMessage) => {
    if (ended) return;
    if (message.kind === 'ready') {
      ready = true;
      begin();
      return;
    }
    const done = order;
    rest();
    if (message.kind === 'drawn') done?.resolve(message);
    else done?.reject(new DrawFailed('broken', message.message));
  });
  worker.on('error', (cause) => end(new DrawFailed('broken', 'The chart could not be drawn.', { cause })));
  worker.on('exit', () => end(new DrawFailed('broken', 'The worker ended by itself.')));

  return {
    get free() {
      return order === null && !ended;
    },
    take: (taken) => {
      order = taken;
      worker.ref();
      if (ready) begin();
      else after(startMs, new DrawFailed('too slow', 'The worker did not start in time.'));
    },
    end,
  };
}
