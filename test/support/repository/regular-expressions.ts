import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'vite';

export interface WrittenExpression {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const ROOT = resolve(import.meta.dirname, '../../..');

/** Every regular expression of the service and of the web interface: literals, and those that modules build when they are loaded. */
export function regularExpressions(): readonly WrittenExpression[] {
  const files = globSync('{src,web}/**/*.{ts,tsx,js}', { cwd: ROOT }).filter((file) => !/\.test\.tsx?$|\.d\.ts$/.test(file));
  return files.toSorted().flatMap((file) => {
    const { literals, built } = expressionsOf(file);
    return built === 0 ? literals : [...literals, ...readBuilt(file, built)];
  });
}

function expressionsOf(file: string) {
  const { program } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'));
  const literals: WrittenExpression[] = [];
  let built = 0;
  visit(program, (node) => {
    const { type, regex, callee } = node;
    if (type === 'Literal' && isNode(regex)) literals.push({ file, source: String(regex.pattern), flags: String(regex.flags) });
    if ((type === 'NewExpression' || type === 'CallExpression') && isNode(callee) && callee.name === 'RegExp') built++;
  });
  return { literals, built };
}

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function visit(value: unknown, seen: (node: Node) => void): void {
  if (!isNode(value)) return;
  seen(value);
  for (const each of Object.values(value)) visit(each, seen);
}

/** Loads the module in a process whose RegExp records what it builds. */
function readBuilt(file: string, expected: number): readonly WrittenExpression[] {
  const script = `
    const made = [], own = RegExp, module = ${JSON.stringify(join(ROOT, file))};
    globalThis.RegExp = new Proxy(own, { construct: (target, [source, flags = '']) => {
      const at = new Error().stack.split('\\n')[2] ?? '';
      if (at.includes(module)) made.push({ source: String(source), flags });
      return new target(source, flags);
    } });
    await import(module);
    console.log(JSON.stringify(made));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  const made: Omit<WrittenExpression, 'file'>[] = JSON.parse(output.trim().split('\n').at(-1) ?? '[]');
  if (made.length < expected)
    throw new Error(`${file} must build its regular expressions at its top level, where tests see them`);
  return made.map((each) => ({ file, ...each }));
}
