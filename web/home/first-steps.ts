import { can } from '../app/session.tsx';
import type { Query, Session } from '../app/wire.ts';
import { runsWithoutInput } from '../components/queries/runs-without-input.ts';

export interface Step {
  readonly title: string;
  readonly hint: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** Null: the page cannot know. */
  readonly done: boolean | null;
}

/** What is known of what this person has done; null: nothing can be known. */
export interface Progress {
  readonly ran: boolean | null;
  readonly hasKey: boolean;
  readonly usedKey: boolean;
  readonly drew: boolean | null;
  readonly embedded: boolean;
  readonly published: boolean;
}

/** The way through a new installation, as far as this person's rights lead. */
export function firstSteps(session: Session, queries: readonly Query[], progress: Progress): readonly Step[] {
  const query = firstToTry(queries);
  const ofQuery = query === null ? {} : { search: { query: query.queryName } };
  const steps: readonly (Step & { readonly shown: boolean })[] = [
    {
      shown: can(session, 'queries.run'),
      title: query?.database === 'Demo' ? 'Run a demo query' : 'Run a query',
      hint: query === null ? 'Choose one of the list.' : `${query.name} is a good start.`,
      to: query === null ? '/queries' : `/queries/${query.id}`,
      done: progress.ran,
    },
    {
      shown: can(session, 'queries.run'),
      title: 'Copy a cURL',
      hint: 'Query To JSON writes the call for you.',
      to: '/query-to-json',
      ...ofQuery,
      done: progress.usedKey ? true : null,
    },
    {
      shown: can(session, 'queries.run'),
      title: 'Make a key',
      hint: 'Your programs call with it.',
      to: '/account/api-keys',
      done: progress.hasKey,
    },
    {
      shown: can(session, 'queries.run'),
      title: 'Draw a chart',
      hint: 'Query To Chart takes three steps.',
      to: '/query-to-chart',
      ...ofQuery,
      done: progress.drew,
    },
    {
      shown: session.edition === 'extended' && can(session, 'embeds.create'),
      title: 'Embed it',
      hint: 'Get Embed URL is below the chart.',
      to: progress.embedded ? '/embeds' : '/query-to-chart',
      ...(progress.embedded ? {} : ofQuery),
      done: progress.embedded,
    },
    {
      shown: can(session, 'queries.author') && can(session, 'queries.publish'),
      title: 'Publish a query',
      hint: 'Write, validate, activate.',
      to: '/queries/new',
      done: progress.published,
    },
    {
      shown: can(session, 'audit.view'),
      title: 'Find it in the audit trail',
      hint: 'Every call is there, with who and when.',
      to: '/audit',
      search: { user: session.username },
      done: null,
    },
  ];
  return steps.filter(({ shown }) => shown).map(({ shown: _, ...step }) => step);
}

/** Everything that can be known is done: nobody needs the list any more. */
export const isFinished = (steps: readonly Step[]): boolean => steps.every(({ done }) => done !== false);

/** Best one with a chart in mind. */
function firstToTry(queries: readonly Query[]): Query | null {
  const ready = queries.filter(runsWithoutInput);
  return ready.find(({ tip }) => tip.startsWith('Bar chart')) ?? ready[0] ?? null;
}
