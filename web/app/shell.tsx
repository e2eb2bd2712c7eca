import { ActionIcon, AppShell, Box, Burger, Button, Kbd, ScrollArea, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { IconSearch } from '../components/icons.tsx';
import { AccountMenu } from './account-menu.tsx';
import { ColorSchemeMenu } from './color-scheme-menu.tsx';
import { Logo } from './logo.tsx';
import { NavigationLinks } from './navigation-links.tsx';
import { globalSearch, takeEarlyKey } from './search-store.ts';
import { useMaybeSession, useSession } from './session.tsx';
import classes from './shell.module.css';

// loaded after the page
const GlobalSearch = lazy(() => import('./global-search.tsx').then((module) => ({ default: module.GlobalSearch })));

/** The frame of every page: header, navigation, search, footer. */
export function Shell() {
  const next = useRouterState({ select: (state) => state.location.publicHref });
  const isSignedIn = useMaybeSession() !== null;
  // the session ended while the tab was in the background
  if (!isSignedIn) return <Navigate to="/sign-in" search={{ next, reason: 'credential_missing' }} />;
  return <SignedInShell />;
}

function SignedInShell() {
  const [opened, drawer] = useDisclosure(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [pathBefore, setPathBefore] = useState(path);
  if (path !== pathBefore) {
    setPathBefore(path);
    drawer.close(); // it covers the chosen page
  }
  // handled here, because the search may not be loaded yet
  useHotkeys([['/', focusSearch]]);
  useHotkeys([['mod+K', globalSearch.toggle]], [], true); // also while a field has the focus
  useEffect(() => {
    window.addEventListener('keydown', takeEarlyKey, true);
    return () => window.removeEventListener('keydown', takeEarlyKey, true);
  }, []);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'lg' }}
    >
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <AppShell.Header className={classes.header}>
        <div className={classes.brand}>
          <Burger
            opened={opened}
            onClick={drawer.toggle}
            hiddenFrom="sm"
            size="sm"
            color="var(--rail-text-current)"
            aria-label={opened ? 'Close navigation' : 'Open navigation'}
            aria-expanded={opened}
          />
          <UnstyledButton renderRoot={(props) => <Link to="/" {...props} />} aria-label="Sluice, home">
            <Logo />
          </UnstyledButton>
        </div>
        <div className={classes.tools}>
          <FindButton />
          <ColorSchemeMenu />
          <AccountMenu />
        </div>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages" className={classes.rail}>
        <AppShell.Section grow component={ScrollArea}>
          <NavigationLinks />
        </AppShell.Section>
        <Footer />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Box maw={1280} mx="auto">
          <Outlet />
        </Box>
      </AppShell.Main>
      <Suspense>
        <GlobalSearch />
      </Suspense>
    </AppShell>
  );
}

function FindButton() {
  return (
    <>
      <Button
        className={classes.find ?? ''}
        visibleFrom="sm"
        variant="default"
        w={280}
        justify="space-between"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={globalSearch.open}
      >
        Find a query
      </Button>
      <ActionIcon hiddenFrom="sm" variant="default" size="lg" aria-label="Find a query" onClick={globalSearch.open}>
        <IconSearch size={16} />
      </ActionIcon>
    </>
  );
}

function Footer() {
  const { session } = useSession();
  return (
    <AppShell.Section component="footer" pt="xs" px="sm">
      <Text size="xs">
        Sluice {session.version}
        {session.edition === 'standard' ? ' · Standard Edition' : ''}
      </Text>
    </AppShell.Section>
  );
}

/** `/`: focuses the search field of the page, or opens the global search. */
function focusSearch(): void {
  const field = document.querySelector<HTMLElement>('main [data-search]');
  if (field === null) globalSearch.open();
  else field.focus();
}
