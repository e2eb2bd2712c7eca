import { can } from '../app/session.tsx';
import type { Query, Session } from '../app/wire.ts';
import { runsWithoutInput } from '../components/queries/runs-without-input.ts';

export interface Step {
  readonly title: string;
  readonly hint: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** Null: unknown. */
  readonly done: boolean | null;
}

/** What the user has already done; null: unknown. */
export interface Progress {
  readonly hasRun: boolean | null;
  readonly hasKey: boolean;
  readonly hasUsedKey: boolean;
  readonly hasDrawnChart: boolean | null;
  readonly hasEmbedded: boolean;
  readonly hasPublished: boolean;
}

/** The steps for a new user, as far as their permissions allow. */
export function listFirstSteps(session: Session, queries: readonly Query[], progress: Progress): readonly Step[] {
  const query = chooseFirst(queries);
  const ofQuery = query === null ? {} : { search: { query: query.queryName } };
  const steps: readonly (Step & { readonly shown: boolean })[] = [
    {
      shown: queries.length === 0 && can(session, 'databases.manage'),
      title: 'Add a database',
      hint: 'Queries run on it.',
      to: '/databases',
      done: null,
    },
    {
      shown: can(session, 'queries.run'),
      title: query?.database === 'Demo' ? 'Run a demo query' : 'Run a query',
      hint: query === null ? 'Choose one from the list.' : `Try ${query.name}.`,
      to: query === null ? '/queries' : `/queries/${query.id}`,
      done: progress.hasRun,
    },
    {
      shown: can(session, 'queries.run'),
      title: 'Copy a cURL command',
      hint: 'Query To JSON builds the call for you.',
      to: '/query-to-json',
      ...ofQuery,
      done: progress.hasUsedKey ? true : null,
    },
    {
      shown: can(session, 'queries.run'),
      title: 'Create an API key',
      hint: 'Programs use it to run queries.',
      to: '/account/api-keys',
      done: progress.hasKey,
    },
    {
      shown: can(session, 'queries.run'),
      title: 'Draw a chart',
      hint: 'Query To Chart takes three steps.',
      to: '/query-to-chart',
      ...ofQuery,
      done: progress.hasDrawnChart,
    },
    {
      shown: session.edition === 'extended' && can(session, 'embeds.create'),
      title: 'Embed it',
      hint: 'Get Embed URL is below the chart.',
      to: progress.hasEmbedded ? '/embeds' : '/query-to-chart',
      ...(progress.hasEmbedded ? {} : ofQuery),
      done: progress.hasEmbedded,
    },
    {
      shown: can(session, 'queries.author') && can(session, 'queries.publish'),
      title: 'Publish a query',
      hint: 'Write, validate, activate.',
      to: '/queries/new',
      done: progress.hasPublished,
    },
    {
      shown: can(session, 'audit.view'),
      title: 'Find it in the audit trail',
      hint: 'It shows every call, with user and time.',
      to: '/audit',
      search: { user: session.username },
      done: null,
    },
  ];
  return steps.filter(({ shown }) => shown).map(({ shown: _, ...step }) => step);
}

/** Whether all known steps are done. */
export const isFinished = (steps: readonly Step[]): boolean => steps.every(({ done }) => done !== false);

/** Whether the user has activated a query of their own. */
export const hasPublished = (username: string, queries: readonly Query[]): boolean =>
  queries.some((query) => query.status === 'Active' && query.updatedBy === username && !isFromDemo(query));

/** A query activated at the moment of its creation belongs to the demo catalog. */
const isFromDemo = ({ createdAt, updatedAt }: Query): boolean => createdAt === updatedAt;

/** Prefers a query that suits a chart. */
function chooseFirst(queries: readonly Query[]): Query | null {
  const ready = queries.filter(runsWithoutInput);
  return ready.find(({ tip }) => tip.startsWith('Bar chart')) ?? ready[0] ?? null;
}
