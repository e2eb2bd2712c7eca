import {
  IconActivity,
  IconApps,
  IconBraces,
  IconChartBar,
  IconDatabase,
  IconHome,
  IconKey,
  IconLink,
  IconLock,
  IconPlugConnected,
  IconSettings,
  IconShieldCheck,
  IconShieldHalf,
  IconTable,
  IconUserCircle,
  IconUsers,
  IconWorldShare,
} from '../components/icons.tsx';
import { can } from './session.tsx';
import type { Session } from './wire.ts';

export interface Page {
  readonly label: string;
  readonly to: string;
  readonly icon: typeof IconHome;
  readonly isShownTo: (session: Session) => boolean;
}

const showToAll = () => true;

/** The pages in the navigation. Users see only the pages they may use; the service checks every call again. */
export const pages = {
  home: { label: 'Home', to: '/', icon: IconHome, isShownTo: showToAll },
  work: [
    {
      label: 'Queries',
      to: '/queries',
      icon: IconTable,
      isShownTo: (session) => can(session, 'queries.run') || can(session, 'queries.author') || can(session, 'queries.publish'),
    },
    { label: 'Query To JSON', to: '/query-to-json', icon: IconBraces, isShownTo: (session) => can(session, 'queries.run') },
    { label: 'Query To Chart', to: '/query-to-chart', icon: IconChartBar, isShownTo: (session) => can(session, 'queries.run') },
    {
      label: 'Embeds',
      to: '/embeds',
      icon: IconWorldShare,
      isShownTo: (session) => session.edition === 'extended' && can(session, 'embeds.create'),
    },
    { label: 'Data links', to: '/data-links', icon: IconLink, isShownTo: (session) => can(session, 'links.create') },
    {
      label: 'AI gateway',
      to: '/ai-gateway',
      icon: IconApps,
      // shown while it is off to those who can switch it on
      isShownTo: (session) => can(session, 'queries.run') && (session.mcp || can(session, 'settings.manage')),
    },
  ],
  administration: [
    { label: 'Audit trail', to: '/audit', icon: IconShieldCheck, isShownTo: (session) => can(session, 'audit.view') },
    { label: 'Databases', to: '/databases', icon: IconDatabase, isShownTo: (session) => can(session, 'databases.manage') },
    { label: 'Users', to: '/users', icon: IconUsers, isShownTo: (session) => can(session, 'users.manage') },
    { label: 'Roles', to: '/roles', icon: IconShieldHalf, isShownTo: (session) => can(session, 'users.manage') },
    { label: 'Settings', to: '/settings', icon: IconSettings, isShownTo: (session) => can(session, 'settings.manage') },
  ],
  /** Linked from other pages and found by Ctrl K, but not in the navigation. */
  elsewhere: [
    { label: 'Running now', to: '/executions', icon: IconActivity, isShownTo: showToAll },
    {
      label: 'Applications',
      to: '/settings/applications',
      icon: IconPlugConnected,
      isShownTo: (session) => session.oauth && can(session, 'settings.manage'),
    },
  ],
  account: [
    { label: 'API Keys', to: '/account/api-keys', icon: IconKey, isShownTo: showToAll },
    {
      label: 'Connected applications',
      to: '/account/applications',
      icon: IconPlugConnected,
      isShownTo: (session) => session.oauth,
    },
    { label: 'Password', to: '/account/password', icon: IconLock, isShownTo: showToAll },
  ],
} as const satisfies Record<string, Page | readonly Page[]>;

export const accountIcon = IconUserCircle;

export const listPages = (session: Session): readonly Page[] =>
  [pages.home, ...pages.work, ...pages.administration, ...pages.elsewhere, ...pages.account].filter((page) =>
    page.isShownTo(session),
  );
