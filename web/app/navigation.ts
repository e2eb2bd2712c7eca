import {
  IconActivity,
  IconApps,
  IconBraces,
  IconChartBar,
  IconDatabase,
  IconHome,
  IconKey,
  IconLock,
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
  readonly shownTo: (session: Session) => boolean;
}

const everyone = () => true;

/** The pages in the navigation. Users see only the pages they may use; the service checks every call again. */
export const pages = {
  home: { label: 'Home', to: '/', icon: IconHome, shownTo: everyone },
  work: [
    {
      label: 'Queries',
      to: '/queries',
      icon: IconTable,
      shownTo: (session) => can(session, 'queries.run') || can(session, 'queries.author') || can(session, 'queries.publish'),
    },
    { label: 'Query To JSON', to: '/query-to-json', icon: IconBraces, shownTo: (session) => can(session, 'queries.run') },
    { label: 'Query To Chart', to: '/query-to-chart', icon: IconChartBar, shownTo: (session) => can(session, 'queries.run') },
    {
      label: 'Embeds',
      to: '/embeds',
      icon: IconWorldShare,
      shownTo: (session) => session.edition === 'extended' && can(session, 'embeds.create'),
    },
    {
      label: 'AI gateway',
      to: '/ai-gateway',
      icon: IconApps,
      // shown while it is off to those who can switch it on
      shownTo: (session) => can(session, 'queries.run') && (session.mcp || can(session, 'settings.manage')),
    },
  ],
  administration: [
    { label: 'Audit trail', to: '/audit', icon: IconShieldCheck, shownTo: (session) => can(session, 'audit.view') },
    { label: 'Databases', to: '/databases', icon: IconDatabase, shownTo: (session) => can(session, 'databases.manage') },
    { label: 'Users', to: '/users', icon: IconUsers, shownTo: (session) => can(session, 'users.manage') },
    { label: 'Roles', to: '/roles', icon: IconShieldHalf, shownTo: (session) => can(session, 'users.manage') },
    { label: 'Settings', to: '/settings', icon: IconSettings, shownTo: (session) => can(session, 'settings.manage') },
  ],
  /** Linked from other pages and found by Ctrl K, but not in the navigation. */
  elsewhere: [{ label: 'Running now', to: '/executions', icon: IconActivity, shownTo: everyone }],
  account: [
    { label: 'API Keys', to: '/account/api-keys', icon: IconKey, shownTo: everyone },
    { label: 'Password', to: '/account/password', icon: IconLock, shownTo: everyone },
  ],
} as const satisfies Record<string, Page | readonly Page[]>;

export const accountIcon = IconUserCircle;

export const allPages = (session: Session): readonly Page[] =>
  [pages.home, ...pages.work, ...pages.administration, ...pages.elsewhere, ...pages.account].filter((page) =>
    page.shownTo(session),
  );
