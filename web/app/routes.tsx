import { Button } from '@mantine/core';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  Outlet,
  type ParsedLocation,
  redirect,
  useRouter,
} from '@tanstack/react-router';
import { useEffect } from 'react';
import { EmptyPage } from '../components/empty-page.tsx';
import { IconSearch } from '../components/icons.tsx';
import type { SearchParams } from '../components/use-search-params.ts';
import { withBasePath } from './base-path.ts';
import { ErrorPage } from './error-page.tsx';
import { unreachableProblem } from './problem.ts';
import { queryClient } from './query-client.ts';
import { sessionQuery } from './session.tsx';
import { Shell } from './shell.tsx';
import { isServiceReady } from './when-ready.ts';

const root = createRootRoute({
  component: Root,
  validateSearch: (search: Record<string, unknown>): SearchParams =>
    Object.fromEntries(Object.entries(search).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))),
});

/** A page whose files cannot be loaded while the service is away shows that, instead of being reloaded. */
const lazyPage = <Module extends Record<string, unknown>>(load: () => Promise<Module>, name: keyof Module & string) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error: unknown) => {
        throw (await isServiceReady()) ? error : unreachableProblem();
      }),
    name,
  );

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyPage(() => import('../account/sign-in.tsx'), 'SignInPage'),
});

/** Without a session, redirects to the sign-in, which returns to the page. */
const requireSession = async ({ location }: { readonly location: ParsedLocation }): Promise<void> => {
  const session = await queryClient.ensureQueryData(sessionQuery);
  if (session === null) throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.publicHref } });
};

/** The pages with the navigation. */
const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: Shell, beforeLoad: requireSession });

const connectRoute = createRoute({
  getParentRoute: () => root,
  path: '/connect/$id',
  component: lazyPage(() => import('../connect/connect-page.tsx'), 'ConnectPage'),
  beforeLoad: requireSession,
});

const page = <const Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
) => createRoute({ getParentRoute: () => signedIn, path, component: lazyPage(load, name) });

const routeTree = root.addChildren([
  signInRoute,
  connectRoute,
  signedIn.addChildren([
    page('/', () => import('../home/home-page.tsx'), 'HomePage'),
    page('/queries', () => import('../catalog/queries-page.tsx'), 'QueriesPage'),
    page('/queries/new', () => import('../catalog/query-editor-page.tsx'), 'QueryEditorPage'),
    page('/queries/$id', () => import('../catalog/query-page.tsx'), 'QueryPage'),
    page('/queries/$id/edit', () => import('../catalog/query-editor-page.tsx'), 'QueryEditorPage'),
    page('/query-to-json', () => import('../query-to-json/query-to-json-page.tsx'), 'QueryToJsonPage'),
    page('/query-to-chart', () => import('../query-to-chart/query-to-chart-page.tsx'), 'QueryToChartPage'),
    page('/embeds', () => import('../embeds/embeds-page.tsx'), 'EmbedsPage'),
    page('/data-links', () => import('../data-links/data-links-page.tsx'), 'DataLinksPage'),
    page('/ai-gateway', () => import('../ai-gateway/ai-gateway-page.tsx'), 'AiGatewayPage'),
    page('/audit', () => import('../audit/audit-page.tsx'), 'AuditPage'),
    page('/executions', () => import('../audit/executions-page.tsx'), 'ExecutionsPage'),
    page('/databases', () => import('../administration/databases-page.tsx'), 'DatabasesPage'),
    page('/users', () => import('../administration/users-page.tsx'), 'UsersPage'),
    page('/roles', () => import('../administration/roles-page.tsx'), 'RolesPage'),
    page('/settings', () => import('../administration/settings-page.tsx'), 'SettingsPage'),
    page('/settings/applications', () => import('../administration/applications-page.tsx'), 'ApplicationsPage'),
    page('/account/applications', () => import('../account/connected-applications-page.tsx'), 'ConnectedApplicationsPage'),
    page('/account/api-keys', () => import('../account/api-keys-page.tsx'), 'ApiKeysPage'),
    page('/account/password', () => import('../account/password-page.tsx'), 'PasswordPage'),
    createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFoundPage }), // any other address
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: withBasePath('/'),
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  // readable URLs without JSON: ?search=sales&status=Active
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    );
    return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
  },
});

function Root() {
  useFocusOnNavigation();
  return <Outlet />;
}

/** Focuses the heading of a new page, so that screen readers announce it. */
function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!pathChanged || fromLocation === undefined) return;
        const heading = document.querySelector<HTMLElement>('main h1') ?? document.getElementById('main');
        heading?.focus({ preventScroll: true });
      }),
    [router],
  );
}

function NotFoundPage() {
  return (
    <EmptyPage
      page="Page not found"
      title="There is no page at this address"
      icon={IconSearch}
      action={
        <Button mt="xs" variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
          Home
        </Button>
      }
    >
      The address may be outdated or mistyped. Search for a page or a query at the top of this page.
    </EmptyPage>
  );
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    run?: boolean; // the page of a query runs it when it opens
  }
}
