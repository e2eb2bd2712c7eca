import type { Migration } from './migration.ts';

/** Which tools the MCP gateway offers to a key: the general ones, or one for each of its queries. It never changes. */
export const typedTools: Migration = {
  name: '0013-typed-tools',
  statements: (kind) => [
    `alter table api_keys add column tools ${kind === 'postgres' ? 'text collate "C"' : 'text'} not null default 'generic'`,
  ],
};
