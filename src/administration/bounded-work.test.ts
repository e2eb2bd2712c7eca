import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { succeeded } from '../core/errors.ts';
import { createBoundedWork } from './bounded-work.ts';

it('runs up to its limit, queues some, and rejects the rest', async () => {
  const bounded = createBoundedWork(2, 3);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const read = () =>
    bounded(async () => {
      most = Math.max(most, ++running);
      await ended;
      running--;
      return succeeded(null);
    });
  const reads = Array.from({ length: 6 }, read);
  expect(await reads.at(-1)).toMatchObject({ ok: false, failure: { kind: 'Overloaded' } });
  end();
  expect((await Promise.all(reads)).filter(({ ok }) => ok)).toHaveLength(5);
  expect(most).toBe(2);
  expect(await read()).toMatchObject({ ok: true });
});

it('rejects work that waited too long, and releases the permit of failed work', async () => {
  const bounded = createBoundedWork(1, 1, 1);
  const { promise: broken, reject: fail } = Promise.withResolvers<never>();
  const first = bounded(() => broken);
  expect(await bounded(async () => succeeded(1))).toMatchObject({ ok: false });
  fail(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  expect(await bounded(async () => succeeded(2))).toMatchObject({ ok: true });
});

it('does not keep a stopping process alive while work waits', async () => {
  const script = `
    import { createBoundedWork } from ${JSON.stringify(new URL('./bounded-work.ts', import.meta.url))};
    const bounded = createBoundedWork(1, 1, 600_000);
    void bounded(() => new Promise(() => undefined));
    void bounded(async () => undefined);
    console.log('waiting');
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout).toBe('waiting\n');
});
