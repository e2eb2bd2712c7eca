import { Worker } from 'node:worker_threads';
import {
  type ChartDrawer,
  type ChartDrawing,
  type ChartPicture,
  DrawFailed,
  type DrawJob,
  type WorkerMessage,
} from './chart-drawer.ts';

export interface ChartDrawerOptions {
  readonly maxMs: number; // per picture
  readonly workers?: number; // maximum; default 1
  readonly idleMs?: number; // idle workers end after this time; default one minute
  readonly maxWaiting?: number; // queued pictures; default 64
  readonly maxWaitingOfOwner?: number; // default: a quarter of `maxWaiting`
}

interface QueuedJob {
  readonly job: DrawJob;
  readonly resolve: (drawn: Drawn) => void;
  readonly reject: (failure: DrawFailed) => void;
}

type Drawn = Extract<WorkerMessage, { kind: 'drawn' }>;

const startMs = 30_000; // generous, for busy machines
const memoryMb = 512;

/** Starts workers on demand, stops those that take too long, and ends idle ones. */
export function createChartDrawer(options: ChartDrawerOptions): ChartDrawer {
  const { maxMs, workers = 1, idleMs = 60_000, maxWaiting = 64, maxWaitingOfOwner = Math.ceil(maxWaiting / 4) } = options;
  const running = new Set<DrawWorker>();
  const waiting: QueuedJob[] = [];
  let closed = false;

  const dispatch = (): void => {
    while (waiting.length > 0) {
      const drawWorker = [...running].find(({ free }) => free) ?? (running.size < workers ? start() : undefined);
      if (!drawWorker) return;
      const current = waiting.shift();
      if (current) drawWorker.take(current);
    }
  };
  const start = (): DrawWorker => {
    const drawWorker = startWorker({ maxMs, idleMs, onFree: dispatch, onEnd: () => running.delete(drawWorker) && dispatch() });
    running.add(drawWorker);
    return drawWorker;
  };
  const enqueue = (job: DrawJob): Promise<Drawn> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new DrawFailed('closed', 'The drawer is closed.'));
      const owner = ownerOf(job);
      const ofOwner = owner === undefined ? 0 : waiting.filter((each) => ownerOf(each.job) === owner).length;
      if (waiting.length >= maxWaiting || ofOwner >= maxWaitingOfOwner)
        return reject(new DrawFailed('too busy', 'Too many charts are waiting to be drawn.'));
      waiting.push({ job, resolve, reject });
      dispatch();
    });

  const picture = async (drawing: ChartDrawing): Promise<ChartPicture> => {
    const { picture: drawn } = await enqueue({ as: 'svg', drawing });
    if (drawn === null) throw new DrawFailed('broken', 'The worker returned no picture.');
    return drawn;
  };

  return {
    picture,
    svg: async (drawing) => (await picture(drawing)).svg,
    png: async (drawing, scale = 2) => bytesOf(await enqueue({ as: 'png', drawing, scale })),
    pngOf: async (svg, scale = 2) => bytesOf(await enqueue({ as: 'png', svg, scale })),
    close: async () => {
      closed = true;
      for (const { reject } of waiting.splice(0)) reject(new DrawFailed('closed', 'The drawer was closed.'));
      await Promise.all([...running].map((drawWorker) => drawWorker.end(new DrawFailed('closed', 'The drawer was closed.'))));
    },
  };
}

const ownerOf = (job: DrawJob): string | undefined => ('drawing' in job ? job.drawing.owner : undefined);

const bytesOf = ({ png }: Drawn): Buffer => Buffer.from(png ?? []);

type DrawWorker = ReturnType<typeof startWorker>;

interface DrawWorkerOptions extends Required<Pick<ChartDrawerOptions, 'maxMs' | 'idleMs'>> {
  readonly onFree: () => void;
  readonly onEnd: () => void;
}

/** A worker thread and its current job. */
function startWorker({ maxMs, idleMs, onFree, onEnd }: DrawWorkerOptions) {
  const worker = new Worker(new URL('./draw-worker.ts', import.meta.url), {
    name: 'chart-drawer',
    env: { NODE_ENV: 'production' }, // none of our environment, and no development warnings of the chart library
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  let ready = false;
  let ended = false;
  let current: QueuedJob | null = null;
  let timer: NodeJS.Timeout | undefined;

  const endAfter = (ms: number, reason: DrawFailed): void => {
    clearTimeout(timer);
    timer = setTimeout(() => end(reason), ms);
  };
  const begin = (): void => {
    if (!current) return;
    endAfter(maxMs, new DrawFailed('too slow', `The chart took longer than ${maxMs} ms to draw.`));
    worker.postMessage(current.job);
  };
  const end = async (reason: DrawFailed): Promise<void> => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    current?.reject(reason);
    current = null;
    onEnd();
    await worker.terminate();
  };
  const becomeIdle = (): void => {
    current = null;
    worker.unref();
    endAfter(idleMs, new DrawFailed('closed', 'The worker was idle.'));
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
    const done = current;
    becomeIdle();
    if (message.kind === 'drawn') done?.resolve(message);
    else done?.reject(new DrawFailed('broken', message.message));
  });
  worker.on('error', (cause) => end(new DrawFailed('broken', 'The chart could not be drawn.', { cause })));
  worker.on('exit', () => end(new DrawFailed('broken', 'The worker exited.')));

  return {
    get free(): boolean {
      return current === null && !ended;
    },
    take: (job: QueuedJob): void => {
      current = job;
      worker.ref();
      if (ready) begin();
      else endAfter(startMs, new DrawFailed('too slow', 'The worker did not start in time.'));
    },
    end,
  };
}
