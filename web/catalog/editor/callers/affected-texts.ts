import type { QueryCaller, QueryCallers, QueryDependant } from '../../../app/api-types.ts';
import { countText } from '../../../components/count-text.ts';
import { dateText } from '../../../components/time.tsx';

/** How far back calls are counted. */
export const CALLER_DAYS = 90;

const DAY_MS = 86_400_000;

/** Who received rows, as a sentence. Which columns they read is not known. */
export function callersText(
  { callers, moreCallers, callersSince }: Omit<QueryCallers, 'versions'>,
  now: number,
  what: 'query' | 'version' = 'query',
): string {
  const isWhole = now - Date.parse(callersSince) > (CALLER_DAYS - 1) * DAY_MS;
  const when = isWhole ? `in the last ${CALLER_DAYS} days` : `since ${dateText(callersSince)}`;
  if (callers.length === 0) return `Nobody received rows of this ${what} ${when}.`;
  const count = countText(countCallers(callers), 'caller');
  return `${moreCallers > 0 ? `More than ${count}` : count} received rows of this ${what} ${when}.`;
}

/** Who called a version; of one that was replaced, only who has called it since. */
export const callersOf = (callers: readonly QueryCaller[], number: number, replacedAt: string | null): readonly QueryCaller[] =>
  callers.filter(({ version, lastAt }) => version === number && (replacedAt === null || lastAt > replacedAt));

/** A person counts once for each key and application. */
export const countCallers = (callers: readonly QueryCaller[]): number =>
  new Set(callers.map(({ user, apiKey, application }) => JSON.stringify([user, apiKey, application]))).size;

export const viaText = ({ apiKey, application }: Pick<QueryCaller, 'apiKey' | 'application'>): string =>
  [apiKey, application].filter((name) => name !== null && name !== undefined).join(', ');

const kinds: Readonly<Record<QueryDependant['kind'], readonly [one: string, several: string]>> = {
  embed: ['embed draws it', 'embeds draw it'],
  link: ['data link returns its rows', 'data links return its rows'],
  typedKey: ['API key has a tool for it', 'API keys have a tool for it'],
  choices: ['query takes choices from it', 'queries take choices from it'],
};
const dependantKinds = ['embed', 'link', 'typedKey', 'choices'] as const satisfies readonly QueryDependant['kind'][];

export interface DependantGroup {
  readonly title: string; // '2 embeds draw it'
  readonly names: readonly string[];
}

/** What depends on a query, by kind. */
export const groupDependants = (dependants: readonly QueryDependant[]): readonly DependantGroup[] =>
  dependantKinds.flatMap((kind) => {
    const ofKind = dependants.filter((each) => each.kind === kind);
    if (ofKind.length === 0) return [];
    const [one, several] = kinds[kind];
    const title = `${ofKind.length.toLocaleString('en')} ${ofKind.length === 1 ? one : several}`;
    return [{ title, names: ofKind.map(nameOf) }];
  });

const nameOf = ({ name, owner, version }: QueryDependant): string =>
  `${name === '' ? 'Untitled' : name} (${owner})${version === null ? '' : `, stays with version ${version}`}`;

/** What is not listed. */
export const moreText = (count: number): string =>
  count === 0 ? '' : `${count.toLocaleString('en')} more, which you may not see or which are too many to list.`;
