import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settings } from '../../src/config/config.ts';
import { programProblem } from '../support/debian-packages.ts';
import { installPrograms } from '../support/programs.ts';
import { readText } from '../support/repository/source-files.ts';

// The deploy files are checked against the schemas that Kubernetes publishes, and their settings against ours.

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
}

let packages: string;
const manifests: readonly Manifest[] = parseAllDocuments(readText('deploy/kubernetes.yaml')).map((document) => document.toJS());
const found = (kind: string): Manifest => {
  const manifest = manifests.find((each) => each.kind === kind);
  if (manifest === undefined) throw new Error(`there is no ${kind}`);
  return manifest;
};
beforeAll(async () => {
  packages = await installPrograms();
});

/** The problems that the schema of its kind finds. */
async function problemsOf({ apiVersion, kind, ...content }: Manifest): Promise<string> {
  const models: Record<string, new (content: object) => { validate(): void }> = await import(
    join(packages, 'kubernetes-models', apiVersion, 'index.js')
  );
  const Model = models[kind];
  if (Model === undefined) return `unknown kind ${apiVersion} ${kind}`;
  try {
    new Model(content).validate();
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test.each(manifests.map((manifest) => [manifest.kind, manifest] as const))('the %s is valid', async (_kind, manifest) => {
  expect(await problemsOf(manifest)).toBe('');
});

test('the schemas refuse a wrong type and a missing field', async () => {
  const deployment = found('Deployment');
  expect(await problemsOf({ ...deployment, spec: { ...deployment.spec, replicas: 'two' } })).toContain('replicas');
  const { selector: _, ...withoutSelector } = deployment.spec;
  expect(await problemsOf({ ...deployment, spec: withoutSelector })).toContain('selector');
});

test('no volume is shared or kept, and nothing else is written', () => {
  const text = JSON.stringify(manifests);
  expect(text).not.toMatch(/persistentVolumeClaim|ReadWriteMany|hostPath/);
  expect(text).toContain('"readOnlyRootFilesystem":true');
});

test('the autoscaler scales the deployment, by a metric that is exported', () => {
  const { spec } = found('HorizontalPodAutoscaler');
  expect(spec.scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: found('Deployment').metadata.name });
  expect(found('Deployment').spec.replicas).toBeUndefined();
  const [metric] = JSON.stringify(spec).match(/sluice_\w+/) ?? [''];
  expect(readText('docs/operations.md')).toContain(`\`${metric}\``);
});

test('the systemd unit is valid', async ({ skip }) => {
  const problem = await programProblem('systemd');
  skip(problem !== null, problem ?? '');
  const folder = await mkdtemp(join(tmpdir(), 'sluice-unit-'));
  try {
    const unit = join(folder, 'sluice.service');
    // the release is not installed here
    await writeFile(unit, readText('deploy/sluice.service').replace('/opt/sluice/bin/sluice', '/bin/true'));
    const { stderr } = await promisify(execFile)('/usr/bin/systemd-analyze', ['verify', unit]);
    expect(stderr).toBe('');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each(['deploy/kubernetes.yaml', 'deploy/compose.yaml', 'deploy/sluice.service'])('%s uses settings that exist', (file) => {
  const known = new Set<string>(['SLUICE_CONFIG', ...Object.values(settings).map(({ env }) => env)]);
  const named = [...readText(file).matchAll(/\bSLUICE_[A-Z0-9_]+/g)].map(([name]) => name);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('the kustomization names files that exist, and compose services depend on services that exist', () => {
  const { resources } = parse(readText('deploy/kustomization.yaml'));
  for (const each of resources) expect(() => readFileSync(join(import.meta.dirname, '../../deploy', each))).not.toThrow();
  const { services, volumes } = parse(readText('deploy/compose.yaml'), { merge: true });
  for (const { depends_on: needed = {}, volumes: used = [] } of Object.values<Record<string, string[]>>(services)) {
    for (const name of Array.isArray(needed) ? needed : Object.keys(needed)) expect(Object.keys(services)).toContain(name);
    for (const volume of used.filter((each) => !each.startsWith('.')))
      expect(Object.keys(volumes)).toContain(volume.split(':')[0]);
  }
});
