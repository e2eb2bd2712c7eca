import { Divider, NavLink } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { accountIcon as AccountIcon, type Place, places } from './navigation.ts';
import { useSession } from './session.tsx';

export function NavigationLinks() {
  const { session } = useSession();
  const work = places.work.filter((place) => place.shownTo(session));
  const administration = places.administration.filter((place) => place.shownTo(session));
  return (
    <>
      <PlaceLink place={places.home} />
      {work.map((place) => (
        <PlaceLink key={place.to} place={place} />
      ))}
      {administration.length > 0 && <Divider my="xs" />}
      {administration.map((place) => (
        <PlaceLink key={place.to} place={place} />
      ))}
      <Divider my="xs" />
      <NavLink component="button" type="button" label="My Account" leftSection={<AccountIcon size={18} />} defaultOpened>
        {places.account.map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
      </NavLink>
    </>
  );
}

function PlaceLink({ place }: { readonly place: Place }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isHere = path === place.to || (place.to !== '/' && path.startsWith(`${place.to}/`));
  const Icon = place.icon;
  return (
    <NavLink
      renderRoot={(props) => <Link to={place.to} {...props} />}
      label={place.label}
      leftSection={<Icon size={18} aria-hidden />}
      active={isHere}
      {...(isHere ? { 'aria-current': 'page' as const } : {})}
      style={{ borderRadius: 'var(--mantine-radius-md)' }}
    />
  );
}
