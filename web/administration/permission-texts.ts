import type { Permission } from '../app/wire.ts';

/** What each permission allows, in the order in which they are shown. */
export const permissionTexts: Readonly<Record<Permission, string>> = {
  'queries.run': 'Run Active queries of the databases in scope, in every format.',
  'queries.author': 'Write, edit, preview and validate queries.',
  'queries.publish': 'Activate, deactivate, void and restore queries.',
  'queries.epilogue': 'Save and publish queries with an Epilogue, which writes to the database.',
  'embeds.create': 'Hand out charts that viewers see without signing in.',
  'databases.manage': 'Add, change, test and delete databases.',
  'users.manage': 'Manage users, roles and the API keys of others.',
  'audit.view': 'Read the audit trail.',
  'settings.manage': 'See and change settings.',
};

export const allPermissions = Object.keys(permissionTexts) as readonly Permission[]; // the record has exactly these
