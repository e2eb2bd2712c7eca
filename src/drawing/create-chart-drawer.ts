import { Worker } from 'node:worker_threads';
import {
  type ChartDrawer,
  type ChartPicture,
  DrawFailed,
  type DrawingTurn,
  type DrawJob,
  type WorkerMessage,
} from './chart-drawer.ts';
import { createDrawQueue } from './draw-queue.ts';

export interface ChartDrawerOptions {
  readonly maxMs: number; // per picture
  readonly workers?: number; // maximum; default 1
  readonly idleMs?: number; // idle workers end after this time; default one minute
  readonly maxWaiting?: number; // queued pictures; default 128
}

const WAITING_OF_CHART = 2; // one for a desktop and one for a phone
const WAITING_BYTES = 128 << 20;

interface QueuedJob {
  readonly turn: DrawingTurn;
  readonly job: DrawJob;
  readonly resolve: (drawn: Drawn) => void;
  readonly reject: (failure: DrawFailed) => void;
}

type Drawn = Extract<WorkerMessage, { kind: 'drawn' }>;

const startMs = 30_000; // generous, for busy machines
const memoryMb = 512;

/** Starts workers on demand, stops those that take too long, and ends idle ones. */
export function createChartDrawer(options: ChartDrawerOptions): ChartDrawer {
  const { maxMs, workers = 1, idleMs = 60_000, maxWaiting = 128 } = options;
  const running = new Set<DrawWorker>();
  const queue = createDrawQueue<QueuedJob>({ inAll: maxWaiting, perChart: WAITING_OF_CHART, bytes: WAITING_BYTES });
  const shared = new Map<string, Promise<Drawn>>();
  let closed = false;

  const dispatch = (): void => {
    for (;;) {
      const free = [...running].find((each) => each.free);
      if (free === undefined && running.size >= workers) return;
      const next = queue.take();
      if (next === undefined) return;
      (free ?? start()).take(next);
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
      const added = queue.add({ turn: turnOf(job), job, resolve, reject }, (dropped) => dropped.reject(tooBusyError()));
      if (!added) return reject(tooBusyError());
      dispatch();
    });
  const draw = (job: DrawJob): Promise<Drawn> => {
    const key = sharedKeyOf(job);
    if (key === null) return enqueue(job);
    const drawing = shared.get(key) ?? enqueue(job).finally(() => shared.delete(key));
    shared.set(key, drawing);
    return drawing;
  };

  return {
    picture: async (drawing) => pictureOf(await draw({ as: 'svg', drawing })),
    svg: async (drawing) => pictureOf(await draw({ as: 'svg', drawing })).svg,
    png: async (drawing, scale = 2) => {
      const drawn = await draw({ as: 'png', drawing, scale });
      return { png: bytesOf(drawn), svg: pictureOf(drawn).svg };
    },
    pngOf: async (svg, scale = 2) => bytesOf(await draw({ as: 'png', svg, scale })),
    countWaiting: () => queue.length,
    close: async () => {
      closed = true;
      for (let job = queue.take(); job !== undefined; job = queue.take())
        job.reject(new DrawFailed('closed', 'The drawer was closed.'));
      await Promise.all([...running].map((drawWorker) => drawWorker.end(new DrawFailed('closed', 'The drawer was closed.'))));
    },
  };
}

const tooBusyError = (): DrawFailed => new DrawFailed('too busy', 'Too many charts are waiting to be drawn.');

/** Pictures of error messages have no owner. */
const turnOf = (job: DrawJob): DrawingTurn =>
  'drawing' in job ? job.drawing.turn : { owner: '', chart: job.svg, bytes: job.svg.length };

function sharedKeyOf(job: DrawJob): string | null {
  if (!('drawing' in job) || job.drawing.turn.key === undefined) return null;
  const { turn, surface, below } = job.drawing;
  return JSON.stringify([turn.key, job.as, surface, below, 'scale' in job ? job.scale : null]);
}

const bytesOf = ({ png }: Drawn): Buffer => Buffer.from(png ?? []);

function pictureOf({ picture }: Drawn): ChartPicture {
  if (picture === null) throw new DrawFailed('broken', 'The worker returned no picture.');
  return picture;
}

type DrawWorker = ReturnType<typeof startWorker>;

interface DrawWorkerOptions extends Required<Pick<ChartDrawerOptions, 'maxMs' | 'idleMs'>> {
  readonly onFree: () => void;
  readonly onEnd: () => void;
}

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
    endAfter(maxMs, new DrawFailed('too large', `The chart took longer than ${maxMs} ms to draw.`));
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
  worker.on('error', (cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too large' : 'broken';
    end(new DrawFailed(reason, 'The chart could not be drawn.', { cause }));
  });
  worker.on('exit', () => end(new DrawFailed('broken', 'The worker exited.')));

  return {
    get free(): boolean {
      return current === null && !ended;
    },
    take: (job: QueuedJob): void => {
      current = job;
      worker.ref();
      if (ready) begin();
      else endAfter(startMs, new DrawFailed('too busy', 'The worker did not start in time.'));
    },
    end,
  };
}
