import { diff } from 'node:util';
import type { CatalogPlanView } from '../../administration/catalog/view-plan.ts';
import { writeQueryFile } from '../../catalog/files/query-file.ts';
import type { WrittenQuery } from '../../catalog/query-fields.ts';

/** The plan for a person: what happens to each query, with its changes as `diff -u` shows them. */
export function describePlan(plan: CatalogPlanView, written: ReadonlyMap<string, WrittenQuery>): string {
  const queries = plan.queries.map((planned) => {
    const { queryName, action, before, draft, warnings } = planned;
    const notes = [
      ...describeChanges(planned),
      ...(draft === null || action !== 'change' ? [] : [`replaces the draft of version ${draft.version} by ${draft.createdBy}`]),
      ...warnings.map((each) => `warning: ${each}`),
    ];
    return [`${action.padEnd(10)} ${queryName}`, ...indent(notes), ...indent(diffOf(before, written.get(queryName)))].join('\n');
  });
  const deactivated = plan.deactivated.map((queryName) => `deactivate ${queryName}`);
  const left = plan.withoutFile.length;
  return [
    ...queries,
    ...deactivated,
    ...(queries.length + deactivated.length > 0 ? [''] : []),
    summarize(plan),
    ...(left === 0 ? [] : [`${left} Active ${left === 1 ? 'query has' : 'queries have'} no file; --prune deactivates them.`]),
  ].join('\n');
}

type Planned = CatalogPlanView['queries'][number];
type Affected = NonNullable<Planned['affected']>;

/** The changes for callers; for breaking ones also the callers. */
function describeChanges({ changes, breaking, affected }: Planned): readonly string[] {
  const lines = changes.map((change) => `${change.breaking ? 'breaking: ' : 'compatible: '}${change.message}`);
  if (!breaking) return lines;
  return [...lines, ...(affected === null ? ['who is affected: not determined'] : describeAffected(affected))];
}

const MOST_LISTED = 10;

function describeAffected({ callers, moreCallers, callersSince, dependants, moreDependants }: Affected): readonly string[] {
  const since = callersSince.slice(0, 10);
  const calls = callers.map(({ user, apiKey, application, channel, version, calls: count, lastAt, viewers }) => {
    const by = [user, ...(apiKey === null ? [] : [`key ${apiKey}`]), ...(application === undefined ? [] : [application])];
    const of = viewers === undefined ? '' : ` for ${plural(viewers, 'viewer')}`;
    return `caller: ${by.join(', ')} by ${channel}: ${plural(count, 'call')}${of} of version ${version}, last ${lastAt.slice(0, 10)}`;
  });
  const followers = dependants.filter(({ version }) => version === null);
  const standing = followers.map(
    ({ kind, name, owner }) => `depends on it: ${dependantNames[kind]} ${name || '(without a title)'} of ${owner}`,
  );
  return [
    ...(calls.length === 0 ? [`no calls since ${since}`] : shorten(calls, moreCallers, `callers since ${since}`)),
    ...shorten(standing, moreDependants, 'that depend on it'),
  ];
}

const dependantNames: Readonly<Record<Affected['dependants'][number]['kind'], string>> = {
  embed: 'embed',
  link: 'data link',
  typedKey: 'key with typed tools',
  choices: 'choices of',
};

function shorten(lines: readonly string[], further: number, what: string): readonly string[] {
  const left = Math.max(0, lines.length - MOST_LISTED) + further;
  return [...lines.slice(0, MOST_LISTED), ...(left === 0 ? [] : [`and ${left} more ${what}`])];
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

function summarize({ queries, unchanged, deactivated }: CatalogPlanView): string {
  const counts = Object.entries({
    create: queries.filter(({ action }) => action === 'create').length,
    change: queries.filter(({ action }) => action === 'change').length,
    activate: queries.filter(({ action }) => action === 'activate').length,
    deactivate: deactivated.length,
  }).flatMap(([what, count]) => (count === 0 ? [] : [`${count} to ${what}`]));
  const breaks = queries.filter(({ breaking }) => breaking).length;
  if (breaks > 0) counts.push(`${breaks} ${breaks === 1 ? 'breaks' : 'break'} callers`);
  return counts.length === 0 ? `Nothing to do: ${unchanged} unchanged.` : `${counts.join(', ')}, ${unchanged} unchanged.`;
}

function diffOf(before: WrittenQuery | null, after: WrittenQuery | undefined): readonly string[] {
  if (before === null || after === undefined) return [];
  const [old, next] = [writeQueryFile(before), writeQueryFile(after)];
  const epilogue = old.epilogue === next.epilogue ? [] : ['Epilogue:', ...diffLines(old.epilogue ?? '', next.epilogue ?? '')];
  return [...(old.sql === next.sql ? [] : diffLines(old.sql, next.sql)), ...epilogue];
}

const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

const CONTEXT = 3;
const MOST_DIFFERENT = 4_000; // lines; longer texts are shown as replaced

/** The lines that differ between two texts, with some lines around them, as `diff -u` marks them. */
function diffLines(before: string, after: string): readonly string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const middle = diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (lines: readonly string[]): string[] => lines.map((line) => ` ${line}`);
  return keepContext([...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))]);
}

function diffMiddle(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a.length + b.length > MOST_DIFFERENT) return [...a.map((line) => `-${line}`), ...b.map((line) => `+${line}`)];
  return diff(a, b).map(([side, line]) => `${side === 0 ? ' ' : side > 0 ? '-' : '+'}${line}`);
}

function keepContext(lines: readonly string[]): readonly string[] {
  const isChanged = lines.map((line) => !line.startsWith(' '));
  const isNear = lines.map((_, index) => isChanged.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).includes(true));
  return lines.flatMap((line, index) => {
    if (isNear[index] === true) return [line];
    return isNear[index + 1] === true && index > 0 ? [' …'] : [];
  });
}
