import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { filesBelow, readText, root } from './source-files.ts';

/** The paths of all documents. */
export const documents = (): readonly string[] => [
  ...filesBelow('docs', (path) => path.endsWith('.md')),
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
];

/** The cells of the table row with this first cell, or null. */
export function tableRow(markdown: string, first: string): readonly string[] | null {
  return tableRows(markdown).find(([cell]) => cell === first) ?? null;
}

export function tableRows(markdown: string): readonly (readonly string[])[] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line));
  return lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}

/** Links to missing files or headings. */
export function findBrokenLinks(path: string): readonly string[] {
  const targets = [...readText(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !leads(path, target)).map((target) => `${path} → ${target}`);
}

/** Names of source files, such as `admit.ts` or `rest/page-form.ts`, that no file has. Superseded decisions name what is gone. */
export function findMissingFiles(path: string): readonly string[] {
  const text = readText(path);
  if (/^Status: superseded/m.test(text)) return [];
  const named = [...text.matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, name = '']) => name);
  return named.filter((name) => !name.includes('NNNN') && !allFiles().some((file) => `/${file}`.endsWith(`/${name}`)));
}

let found: readonly string[] | null = null;
const allFiles = (): readonly string[] =>
  (found ??= ['src', 'web', 'test', 'demo', 'bench', 'deploy'].flatMap((folder) =>
    filesBelow(folder, (file) => /\.tsx?$/.test(file)),
  ));

function leads(path: string, target: string): boolean {
  const [file = '', heading] = target.split('#');
  const found = file === '' ? path : normalize(join(dirname(path), file));
  if (!existsSync(join(root, found))) return false;
  return heading === undefined || headings(readText(found)).includes(heading);
}

const headings = (markdown: string): readonly string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );

export interface TestedBlock {
  readonly script: string;
  readonly status: number; // expected HTTP status of its calls
  readonly shown: string | null; // the output shown in the document
}

/** Shell blocks marked by `<!-- tested -->` or `<!-- tested: 400 -->`, each with the JSON block that follows. */
export function findTestedBlocks(markdown: string): readonly TestedBlock[] {
  const pattern = /<!-- tested(?:: (\d+))? -->\n```sh\n([\s\S]*?)```\n(?:\n```json\n([\s\S]*?)```)?/g;
  return [...markdown.matchAll(pattern)].map(([, status, script = '', shown]) => ({
    script,
    status: Number(status ?? 200),
    shown: shown ?? null,
  }));
}

/** Whether a text contains all parts of another one between `…` in order, ignoring white space. */
export function shows(text: string, shortened: string): boolean {
  const removeSpace = (from: string): string => from.replace(/\s+/g, '');
  let at = 0;
  for (const part of removeSpace(shortened).split('…')) {
    const found = removeSpace(text).indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
