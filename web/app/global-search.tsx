import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, useSpotlight } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect } from 'react';
import { IconChartBar, IconClock, IconFileDatabase, IconPlayerPlay, IconSearch, IconStarFilled } from '../components/icons.tsx';
import { matchesText } from '../components/matches-text.ts';
import { call } from './api.ts';
import { listPages } from './navigation.ts';
import { searchStore, setSearchText, useSearchText } from './search-store.ts';
import { useSession } from './session.tsx';
import type { Query } from './wire.ts';

const MAX_QUERIES = 8;
const MAX_OWN = 5;

interface Hit {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly icon: ReactNode;
  readonly onClick: () => void;
}
interface Group {
  readonly name: string;
  readonly hits: readonly Hit[];
}

/** Ctrl K: finds pages and queries by name, the user's own ones first. `run` or `chart` before the name does that with the query. */
export function GlobalSearch() {
  const { text, isEntered } = useSearchText();
  const { groups, isPending } = useHits(text);
  const hits = groups.flatMap((group) => group.hits);
  /** Opens the first hit for what was written, not for an earlier text. */
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !isPending) return;
    event.stopPropagation();
    event.preventDefault();
    setSearchText({ text, isEntered: true });
  };
  return (
    <Spotlight.Root
      store={searchStore}
      query={text}
      onQueryChange={(written) => setSearchText({ text: written, isEntered: false })}
      shortcut={null} // the shell handles it
      scrollable
      attributes={{ content: { 'aria-label': 'Find a query or a page', 'data-global-search': true } }}
      maxHeight={420}
      onKeyDownCapture={onEnter}
    >
      <Spotlight.Search
        leftSection={<IconSearch size={18} aria-hidden />}
        placeholder="Find a query or a page"
        aria-label="Find a query or a page"
      />
      {hits.length === 0 ? (
        <Spotlight.Empty>{isPending ? 'Searching…' : 'Nothing found'}</Spotlight.Empty>
      ) : (
        <Spotlight.ActionsList>
          {groups.map(({ name, hits: listed }) => (
            <Spotlight.ActionsGroup key={name} label={name}>
              {listed.map(({ id, label, description, icon, onClick }) => (
                <Spotlight.Action
                  key={id}
                  label={label}
                  {...(description === undefined ? {} : { description })}
                  leftSection={icon}
                  highlightQuery
                  onClick={onClick}
                />
              ))}
            </Spotlight.ActionsGroup>
          ))}
          <FirstSelected ids={hits.map(({ id }) => id).join(' ')} opensIt={isEntered && !isPending} />
        </Spotlight.ActionsList>
      )}
    </Spotlight.Root>
  );
}

/** Selects the first hit whenever the hits change, as Spotlight does it when an arrow key is pressed. */
function FirstSelected({ ids, opensIt }: { readonly ids: string; readonly opensIt: boolean }) {
  useEffect(() => {
    // the list registers itself in an effect that runs after this one
    queueMicrotask(() => {
      const list = document.getElementById(searchStore.getState().listId);
      const [first, ...others] = list?.querySelectorAll<HTMLElement>('[data-action]') ?? [];
      for (const other of others) other.removeAttribute('data-selected');
      first?.setAttribute('data-selected', 'true');
      searchStore.updateState((state) => ({ ...state, selected: 0 }));
      if (opensIt) first?.click();
    });
  }, [ids, opensIt]);
  return null;
}

function useHits(text: string): { readonly groups: readonly Group[]; readonly isPending: boolean } {
  const navigate = useNavigate();
  const { session } = useSession();
  const { opened } = useSpotlight(searchStore);
  const written = text.trim();
  const { verb, name } = readCommand(written);
  const [search] = useDebouncedValue(name, 150);
  const found = useQuery({
    queryKey: ['queries', 'find', search],
    queryFn: ({ signal }) => call('GET /api/v1/queries', { query: { search, limit: MAX_QUERIES } }, { signal }),
    enabled: search !== '',
    placeholderData: keepPreviousData,
  });
  const ownQueriesQuery = (filter: 'favorite' | 'recent') => ({
    queryKey: ['queries', 'find', filter],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      call('GET /api/v1/queries', { query: { [filter]: 'true' as const, limit: MAX_OWN } }, { signal }),
    enabled: opened && written === '',
  });
  const favorites = useQuery(ownQueriesQuery('favorite')).data?.items ?? [];
  const recent = useQuery(ownQueriesQuery('recent')).data?.items ?? [];
  const asHit =
    (icon: ReactNode) =>
    (query: Query): Hit => ({
      id: query.id,
      label: query.name,
      description: `${query.queryName} · ${query.status}`,
      icon,
      onClick: () => void navigate({ to: '/queries/$id', params: { id: query.id } }),
    });
  const pages = listPages(session)
    .filter(({ label }) => matchesText(written, label))
    .map(({ label, to, icon: Icon }) => ({
      id: to,
      label,
      icon: <Icon size={18} aria-hidden />,
      onClick: () => void navigate({ to }),
    }));
  const listed = found.data?.items ?? [];
  const runnable = listed.filter(({ canRun }) => canRun);
  const asActions = (query: Query): readonly Hit[] =>
    [
      {
        id: `run ${query.id}`,
        label: `Run ${query.name}`,
        icon: <IconPlayerPlay size={18} aria-hidden />,
        onClick: () => void navigate({ to: '/queries/$id', params: { id: query.id }, state: { run: true } }),
      },
      {
        id: `chart ${query.id}`,
        label: `Chart ${query.name}`,
        icon: <IconChartBar size={18} aria-hidden />,
        onClick: () => void navigate({ to: '/query-to-chart', search: { query: query.queryName } }),
      },
    ].filter(({ id }) => verb === null || id.startsWith(verb));
  const shownFavorites = new Set(favorites.map(({ id }) => id));
  const groups =
    written === ''
      ? [
          { name: 'Favorites', hits: favorites.map(asHit(<IconStarFilled size={18} aria-hidden />)) },
          {
            name: 'Recently used',
            hits: recent.filter(({ id }) => !shownFavorites.has(id)).map(asHit(<IconClock size={18} aria-hidden />)),
          },
        ]
      : [
          { name: 'Queries', hits: listed.map(asHit(<IconFileDatabase size={18} aria-hidden />)) },
          // for the best hit, or for all if the user asked for it
          { name: 'Actions', hits: runnable.slice(0, verb === null ? 1 : MAX_QUERIES).flatMap(asActions) },
        ].toSorted((a, b) => (verb === null ? 0 : a.name.localeCompare(b.name)));
  return {
    groups: [...groups, { name: 'Pages', hits: pages }].filter(({ hits }) => hits.length > 0),
    isPending: written !== '' && (name !== search || found.isPlaceholderData || found.isLoading),
  };
}

/** `chart sales`: what to do with the query, and its name. */
function readCommand(written: string): { readonly verb: string | null; readonly name: string } {
  const [, verb, name] = /^(run|chart)\s+(\S.*)$/i.exec(written) ?? [];
  return verb === undefined || name === undefined ? { verb: null, name: written } : { verb: verb.toLowerCase(), name };
}
