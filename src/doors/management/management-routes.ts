import type { ApiKeys } from '../../administration/api-keys.ts';
import type { AuditTrail } from '../../administration/audit-trail.ts';
import type { CatalogFiles } from '../../administration/catalog/apply-catalog.ts';
import type { Embeds } from '../../administration/embeds.ts';
import type { RunningQueries } from '../../administration/executions.ts';
import type { Figures } from '../../administration/figures.ts';
import type { Home } from '../../administration/home.ts';
import type { Links } from '../../administration/links.ts';
import type { RuntimeSettings } from '../../administration/settings.ts';
import type { Account } from '../../administration/users/account.ts';
import type { Roles } from '../../administration/users/roles.ts';
import type { Users } from '../../administration/users/users.ts';
import type { Vouching } from '../../administration/users/vouching.ts';
import { accountRoutes, homeRoutes } from './account-routes.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { catalogFileRoutes } from './catalog-file-routes.ts';
import { type DatabaseUseCases, databaseRoutes } from './database-routes.ts';
import { embedManagementRoutes } from './embed-management-routes.ts';
import { executionRoutes } from './execution-routes.ts';
import { linkRoutes } from './link-routes.ts';
import type { ManagementRoute } from './management-route.ts';
import { type ToolRouteParts, toolRoutes } from './mcp-tool-routes.ts';
import { type OAuthUseCases, oauthRoutes } from './oauth-routes.ts';
import { type QueryUseCases, queryRoutes } from './query-routes.ts';
import { roleRoutes } from './role-routes.ts';
import { settingRoutes } from './setting-routes.ts';
import { userRoutes } from './user-routes.ts';
import { viewerRoutes } from './viewer-routes.ts';

export interface Administration extends DatabaseUseCases, QueryUseCases, Pick<ToolRouteParts, 'typedQueries' | 'listAnswers'> {
  readonly account: Account;
  readonly apiKeys: ApiKeys;
  readonly auditTrail: AuditTrail;
  readonly catalogFiles: CatalogFiles;
  readonly home: Home;
  readonly figures: Figures;
  readonly embeds: Embeds | null; // null: Standard Edition
  readonly links: Links;
  readonly roles: Roles;
  readonly runningQueries: RunningQueries;
  readonly settings: RuntimeSettings;
  readonly users: Users;
  readonly vouching: Vouching;
  readonly oauth: OAuthUseCases | null; // null: AI applications cannot sign people in
}

/** What the routes need beside the use-cases. */
interface ServiceParts {
  readonly mcp: boolean;
  readonly baseUrl: () => string;
  readonly port: () => number;
  readonly tryTool: ToolRouteParts['tryTool'];
}

export function managementRoutes(
  administration: Administration,
  { mcp, baseUrl, port, tryTool }: ServiceParts,
): readonly ManagementRoute[] {
  const { account, apiKeys, auditTrail, embeds, roles, runningQueries, settings, users } = administration;
  return [
    ...accountRoutes(account),
    ...homeRoutes(administration.home, administration.figures),
    ...(embeds === null ? [] : embedManagementRoutes(embeds, baseUrl)),
    ...linkRoutes(administration.links, baseUrl),
    ...toolRoutes({ ...administration, enabled: mcp, baseUrl, tryTool }),
    ...settingRoutes(settings, () => ({ baseUrl: baseUrl(), port: port() })),
    ...apiKeyRoutes(apiKeys),
    ...userRoutes(users),
    ...viewerRoutes(administration.vouching),
    ...(administration.oauth === null ? [] : oauthRoutes(administration.oauth)),
    ...roleRoutes(roles),
    ...databaseRoutes(administration),
    ...queryRoutes(administration),
    ...catalogFileRoutes(administration.catalogFiles),
    ...auditRoutes(auditTrail),
    ...executionRoutes(runningQueries),
  ];
}
