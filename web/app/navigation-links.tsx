import { Divider, NavLink } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { accountIcon as AccountIcon, type Page, pages } from './navigation.ts';
import { useSession } from './session.tsx';
import classes from './shell.module.css';

export function NavigationLinks() {
  const { session } = useSession();
  const linksTo = (group: readonly Page[]) =>
    group.filter((page) => page.isShownTo(session)).map((page) => <NavigationLink key={page.to} page={page} />);
  const administration = linksTo(pages.administration);
  return (
    <>
      {linksTo([pages.home, ...pages.work])}
      {administration.length > 0 && <Divider my="xs" className={classes.line ?? ''} />}
      {administration}
      <Divider my="xs" className={classes.line ?? ''} />
      <NavLink
        component="button"
        type="button"
        className={classes.link ?? ''}
        label="My Account"
        leftSection={<AccountIcon size={18} aria-hidden />}
        defaultOpened
      >
        {linksTo(pages.account)}
      </NavLink>
    </>
  );
}

function NavigationLink({ page }: { readonly page: Page }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isHere = path === page.to || (page.to !== '/' && path.startsWith(`${page.to}/`));
  const Icon = page.icon;
  return (
    <NavLink
      renderRoot={(props) => <Link to={page.to} {...props} />}
      label={page.label}
      leftSection={<Icon size={18} aria-hidden />}
      active={isHere}
      {...(isHere ? { 'aria-current': 'page' as const } : {})}
      className={classes.link ?? ''}
    />
  );
}
