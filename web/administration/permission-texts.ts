import type { Permission } from '../app/wire.ts';

/** What each permission allows, in display order. */
export const permissionTexts: Readonly<Record<Permission, string>> = {
  'queries.run': 'Run Active queries on the databases in scope, and export their results.',
  'queries.author': 'Write, edit, preview and validate queries.',
  'queries.publish': 'Activate, deactivate, void and restore queries.',
  'queries.epilogue': 'Save and publish queries with an Epilogue, which writes to the database.',
  'embeds.create': 'Create chart links that work without signing in.',
  'links.create': 'Create data links that work without signing in.',
  'databases.manage': 'Add, change, test and delete databases.',
  'users.manage': 'Manage users, roles and other users’ API keys.',
  'audit.view': 'Read the audit trail.',
  'settings.manage': 'View and change settings.',
};

export const allPermissions = Object.keys(permissionTexts) as readonly Permission[]; // the record has exactly these
