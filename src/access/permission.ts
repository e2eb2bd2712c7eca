export const permissions = [
  'queries.run',
  'queries.author',
  'queries.publish',
  'queries.epilogue',
  'embeds.create',
  'links.create',
  'databases.manage',
  'users.manage',
  'audit.view',
  'settings.manage',
] as const;
export type Permission = (typeof permissions)[number];

export const administratorRole = 'Administrator';

/** The roles created at the first start. */
export const seedRoles: readonly { readonly name: string; readonly permissions: readonly Permission[] }[] = [
  { name: administratorRole, permissions },
  { name: 'Query User', permissions: ['queries.run', 'embeds.create', 'links.create'] },
  { name: 'Query Author', permissions: ['queries.run', 'embeds.create', 'links.create', 'queries.author'] },
  { name: 'Query Publisher', permissions: ['queries.run', 'embeds.create', 'links.create', 'queries.author', 'queries.publish'] },
  { name: 'Security Administrator', permissions: ['users.manage', 'audit.view'] },
  { name: 'Auditor', permissions: ['audit.view'] },
];
