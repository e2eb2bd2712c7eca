import { isDeepStrictEqual } from 'node:util';
import { attributeClaims, issuer, list, mappings, optionalText, scopes, type Setting, setting, text } from './setting-schemas.ts';

/** OpenID Connect sign-in, see docs/sign-in.md. Part of the table in config.ts. */
export const oidcSettings = {
  oidcIssuer: setting('oidc.issuer', 'SLUICE_OIDC_ISSUER', issuer.nullable(), null, {
    meaning: 'OpenID Connect provider for company sign-in, spelled as in its discovery document; none: local accounts only',
  }),
  oidcClientId: setting('oidc.clientId', 'SLUICE_OIDC_CLIENT_ID', optionalText, null, { meaning: 'client id at the provider' }),
  oidcClientSecret: setting('oidc.clientSecret', 'SLUICE_OIDC_CLIENT_SECRET', optionalText, null, {
    meaning: 'client secret at the provider; none for a public client',
    secret: true,
  }),
  oidcScopes: setting('oidc.scopes', 'SLUICE_OIDC_SCOPES', scopes, 'openid profile email', {
    meaning: 'scopes to request (some providers send groups only on request)',
  }),
  oidcName: setting('oidc.name', 'SLUICE_OIDC_NAME', text, 'your company', { meaning: 'text of the button: Sign in with …' }),
  oidcUsernameClaim: setting('oidc.usernameClaim', 'SLUICE_OIDC_USERNAME_CLAIM', text, 'preferred_username', {
    meaning: 'claim for the name of a new user; if it is missing, `email`',
  }),
  oidcRolesClaim: setting('oidc.rolesClaim', 'SLUICE_OIDC_ROLES_CLAIM', text, 'groups', {
    meaning: "claim with a person's groups",
  }),
  oidcRoleMap: setting('oidc.roleMap', 'SLUICE_OIDC_ROLE_MAP', mappings('Role'), [], {
    meaning: 'roles by group: `group=Role`, separated by commas',
  }),
  oidcDatabaseMap: setting('oidc.databaseMap', 'SLUICE_OIDC_DATABASE_MAP', mappings('Database'), [], {
    meaning: 'databases by group: `group=Database`, `group=*` for all; empty: administrators set the scope',
  }),
  oidcDefaultRoles: setting('oidc.defaultRoles', 'SLUICE_OIDC_DEFAULT_ROLES', list(','), [], {
    meaning: 'roles of everyone who signs in with the provider; empty: a person without a mapped group is refused',
  }),
  oidcAttributes: setting('oidc.attributes', 'SLUICE_OIDC_ATTRIBUTES', attributeClaims, [], {
    meaning: 'attributes of users by claim: `name=claim`, separated by commas, filled in at each sign-in; a claim may be a path',
  }),
} as const;

type OidcSettings = typeof oidcSettings;
export type OidcConfig = { readonly [K in keyof OidcSettings]: OidcSettings[K] extends Setting<infer T> ? T : never };

const needed = ['oidcIssuer', 'oidcClientId'] as const;

/** Rejects incomplete settings, which would otherwise only show when someone signs in. */
export function oidcProblem(config: OidcConfig): string | null {
  const missing = needed.find((name) => config[name] === null);
  if (missing === undefined) return null;
  const configured = (Object.keys(oidcSettings) as (keyof OidcSettings)[]).find(
    (name) => !isDeepStrictEqual(config[name], oidcSettings[name].fallback),
  );
  return configured === undefined ? null : `bad value for ${oidcSettings[configured].env}: it needs ${oidcSettings[missing].env}`;
}
