import { expect, it } from 'vitest';
import { findNativeProblems } from './native-packages.ts';

const packageNamed = (name: string) => ({ name, without: 'nothing works', required: false });

it('reports nothing if everything is installed', async () => {
  expect(await findNativeProblems()).toEqual([]);
});

it('names a missing package, the platform and what does not work', async () => {
  const [problem, ...others] = await findNativeProblems([packageNamed('@duckdb/node-bindings'), packageNamed('not-there')]);
  expect(others).toEqual([]);
  expect(problem?.message).toMatch(
    new RegExp(
      `^not-there cannot be loaded on linux-${process.arch} \\(Cannot find module 'not-there'\\): nothing works\\. [^\\n]+$`,
    ),
  );
});
