import { permissions } from '../../../access/permission.ts';
import { has } from '../../../access/principal.ts';
import type { Profile } from '../../../delivery/use-cases/browse.ts';
import { listOf, objectOf, string, stringOrNull } from '../json-schema.ts';
import { rendered, jsonResponse, tool } from '../tool.ts';

export const getUserProfile = tool({
  name: 'get_user_profile',
  title: 'Get user profile',
  description:
    'Returns the owner of this API key: user, roles, permissions, databases in scope, and when the key expires. Use it to explain what the user may do, or if a call is refused. Not needed before running queries: start with list_queries instead.',
  arguments: {},
  output: objectOf({
    userName: string('Name to sign in with.'),
    displayName: string('Full name; the user name if none is set.'),
    roles: listOf(string('Name of a role.'), 'Roles held.'),
    permissions: listOf(string('A permission.'), 'The permissions of all roles combined.'),
    databases: listOf(string('Name of a database.'), 'Databases in scope; "*" alone means all.'),
    apiKey: objectOf(
      { name: string('Name of the key.'), expiresAt: stringOrNull('When it expires, ISO 8601 in UTC; null: never.') },
      'The key of this call.',
    ),
  }),
  call: (parts, call, read) => rendered(parts.browse.profile(call, read), (profile) => jsonResponse(profileOf(profile))),
});

function profileOf({ principal, databases }: Profile) {
  const { username, fullName, roleNames, means } = principal;
  const ends = [principal.expiresAt, means.kind === 'key' ? means.expiresAt : null].filter((each) => each !== null);
  return {
    userName: username,
    displayName: fullName === '' ? username : fullName,
    roles: roleNames,
    permissions: permissions.filter((permission) => has(principal, permission)),
    databases,
    apiKey: {
      name: means.kind === 'key' ? means.keyName : '',
      expiresAt: ends.length === 0 ? null : new Date(Math.min(...ends)).toISOString(), // a key expires with its user
    },
  };
}
