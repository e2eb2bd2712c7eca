import { Button, Center, Paper, Stack, Text } from '@mantine/core';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  Outlet,
  redirect,
  useRouter,
} from '@tanstack/react-router';
import { useEffect } from 'react';
import { PageHeader } from '../components/page-header.tsx';
import type { SearchParams } from '../components/use-search-params.ts';
import { ErrorPage } from './error-page.tsx';
import { Logo } from './logo.tsx';
import { queryClient } from './query-client.ts';
import { sessionQuery } from './session.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({
  component: Root,
  validateSearch: (search: Record<string, unknown>): SearchParams =>
    Object.fromEntries(Object.entries(search).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))),
});

const signInRoute = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../account/sign-in.tsx'), 'SignInPage'),
});

/** All pages but the sign-in. Without a session they redirect to the sign-in, which returns to them. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
  },
});

const page = <const Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => signedIn, path, component });

const routeTree = root.addChildren([
  signInRoute,
  signedIn.addChildren([
    page(
      '/',
      lazyRouteComponent(() => import('../home/home-page.tsx'), 'HomePage'),
    ),
    page(
      '/queries',
      lazyRouteComponent(() => import('../catalog/queries-page.tsx'), 'QueriesPage'),
    ),
    page(
      '/queries/new',
      lazyRouteComponent(() => import('../catalog/query-editor-page.tsx'), 'QueryEditorPage'),
    ),
    page(
      '/queries/$id',
      lazyRouteComponent(() => import('../catalog/query-page.tsx'), 'QueryPage'),
    ),
    page(
      '/queries/$id/edit',
      lazyRouteComponent(() => import('../catalog/query-editor-page.tsx'), 'QueryEditorPage'),
    ),
    page(
      '/query-to-json',
      lazyRouteComponent(() => import('../query-to-json/query-to-json-page.tsx'), 'QueryToJsonPage'),
    ),
    page(
      '/query-to-chart',
      lazyRouteComponent(() => import('../query-to-chart/query-to-chart-page.tsx'), 'QueryToChartPage'),
    ),
    page(
      '/embeds',
      lazyRouteComponent(() => import('../embeds/embeds-page.tsx'), 'EmbedsPage'),
    ),
    page(
      '/ai-gateway',
      lazyRouteComponent(() => import('../ai-gateway/ai-gateway-page.tsx'), 'AiGatewayPage'),
    ),
    page(
      '/audit',
      lazyRouteComponent(() => import('../audit/audit-page.tsx'), 'AuditPage'),
    ),
    page(
      '/executions',
      lazyRouteComponent(() => import('../audit/executions-page.tsx'), 'ExecutionsPage'),
    ),
    page(
      '/databases',
      lazyRouteComponent(() => import('../administration/databases-page.tsx'), 'DatabasesPage'),
    ),
    page(
      '/users',
      lazyRouteComponent(() => import('../administration/users-page.tsx'), 'UsersPage'),
    ),
    page(
      '/roles',
      lazyRouteComponent(() => import('../administration/roles-page.tsx'), 'RolesPage'),
    ),
    page(
      '/settings',
      lazyRouteComponent(() => import('../administration/settings-page.tsx'), 'SettingsPage'),
    ),
    page(
      '/account/api-keys',
      lazyRouteComponent(() => import('../account/api-keys-page.tsx'), 'ApiKeysPage'),
    ),
    page(
      '/account/password',
      lazyRouteComponent(() => import('../account/password-page.tsx'), 'PasswordPage'),
    ),
  ]),
]);

export const router = createRouter({
  routeTree,
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
    <Center component="main" mih="100dvh" p="md" className="waterline">
      <Paper withBorder p="xl" w="100%" maw={440}>
        <Stack gap="md" align="flex-start">
          <Logo />
          <div>
            <PageHeader title="Page not found" />
            <Text size="sm">The address may be outdated or mistyped.</Text>
          </div>
          <Button renderRoot={(props) => <Link to="/" {...props} />}>Go to the home page</Button>
        </Stack>
      </Paper>
    </Center>
  );
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
