import { Divider, NavLink } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { accountIcon as AccountIcon, type Page, pages } from './navigation.ts';
import { useSession } from './session.tsx';
import classes from './shell.module.css';

export function NavigationLinks() {
  const { session } = useSession();
  const work = pages.work.filter((page) => page.isShownTo(session));
  const account = pages.account.filter((page) => page.isShownTo(session));
  const administration = pages.administration.filter((page) => page.isShownTo(session));
  return (
    <>
      <NavigationLink page={pages.home} />
      {work.map((page) => (
        <NavigationLink key={page.to} page={page} />
      ))}
      {administration.length > 0 && <Divider my="xs" className={classes.line ?? ''} />}
      {administration.map((page) => (
        <NavigationLink key={page.to} page={page} />
      ))}
      <Divider my="xs" className={classes.line ?? ''} />
      <NavLink
        component="button"
        type="button"
        className={classes.link ?? ''}
        label="My Account"
        leftSection={<AccountIcon size={18} aria-hidden />}
        defaultOpened
      >
        {account.map((page) => (
          <NavigationLink key={page.to} page={page} />
        ))}
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
