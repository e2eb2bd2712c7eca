import { isDeepStrictEqual } from 'node:util';
import { issuer, list, mappings, optionalText, scopes, text } from './setting-schemas.ts';
import { type Setting, setting } from './setting.ts';

/** OpenID Connect sign-in, see docs/sign-in.md. Part of the table in config.ts. */
export const oidcSettings = {
  oidcIssuer: setting(
    'oidc.issuer',
    'SLUICE_OIDC_ISSUER',
    issuer.nullable(),
    null,
    'OpenID Connect provider that people sign in at, as its documents name it; none: local accounts only',
  ),
  oidcClientId: setting('oidc.clientId', 'SLUICE_OIDC_CLIENT_ID', optionalText, null, 'what the provider knows this service by'),
  oidcClientSecret: setting(
    'oidc.clientSecret',
    'SLUICE_OIDC_CLIENT_SECRET',
    optionalText,
    null,
    'its secret there; none for a public client',
    { secret: true },
  ),
  oidcScopes: setting(
    'oidc.scopes',
    'SLUICE_OIDC_SCOPES',
    scopes,
    'openid profile email',
    'what the provider is asked to tell (some tell groups only when asked)',
  ),
  oidcName: setting('oidc.name', 'SLUICE_OIDC_NAME', text, 'your company', 'on the button: Sign in with …'),
  oidcUsernameClaim: setting(
    'oidc.usernameClaim',
    'SLUICE_OIDC_USERNAME_CLAIM',
    text,
    'preferred_username',
    'claim that a new user is named by; where it is missing, `email`',
  ),
  oidcRolesClaim: setting('oidc.rolesClaim', 'SLUICE_OIDC_ROLES_CLAIM', text, 'groups', "claim with a person's groups"),
  oidcRoleMap: setting(
    'oidc.roleMap',
    'SLUICE_OIDC_ROLE_MAP',
    mappings('Role'),
    [],
    'which group gives which role: `group=Role`, commas between them',
  ),
  oidcDatabaseMap: setting(
    'oidc.databaseMap',
    'SLUICE_OIDC_DATABASE_MAP',
    mappings('Database'),
    [],
    'which group opens which database: `group=Database`, `group=*` for all; empty: administrators set the scope',
  ),
  oidcDefaultRoles: setting(
    'oidc.defaultRoles',
    'SLUICE_OIDC_DEFAULT_ROLES',
    list(','),
    [],
    'roles of everyone who signs in there; empty: who has no mapped group is refused',
  ),
} as const;

type OidcSettings = typeof oidcSettings;
export type OidcConfig = { readonly [K in keyof OidcSettings]: OidcSettings[K] extends Setting<infer T> ? T : never };

const needed = ['oidcIssuer', 'oidcClientId'] as const;

/** Rejects incomplete settings, which would otherwise only show when someone signs in. */
export function oidcProblem(config: OidcConfig): string | null {
  const missing = needed.find((name) => config[name] === null);
  if (missing === undefined) return null;
  const given = (Object.keys(oidcSettings) as (keyof OidcSettings)[]).find(
    (name) => !isDeepStrictEqual(config[name], oidcSettings[name].fallback),
  );
  return given === undefined ? null : `bad value for ${oidcSettings[given].env}: it needs ${oidcSettings[missing].env}`;
}
