import type { ApiKeys } from '../../administration/api-keys.ts';
import type { AuditTrail } from '../../administration/audit-trail.ts';
import type { Embeds } from '../../administration/embeds.ts';
import type { RunningQueries } from '../../administration/executions.ts';
import type { Figures } from '../../administration/figures.ts';
import type { Home } from '../../administration/home.ts';
import type { RuntimeSettings } from '../../administration/settings.ts';
import type { Account } from '../../administration/users/account.ts';
import type { Roles } from '../../administration/users/roles.ts';
import type { Users } from '../../administration/users/users.ts';
import { accountRoutes, homeRoutes } from './account-routes.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { type DatabaseUseCases, databaseRoutes } from './database-routes.ts';
import { embedManagementRoutes } from './embed-management-routes.ts';
import { executionRoutes } from './execution-routes.ts';
import type { ManagementRoute } from './management-route.ts';
import { type ToolRouteParts, toolRoutes } from './mcp-tool-routes.ts';
import { type QueryUseCases, queryRoutes } from './query-routes.ts';
import { roleRoutes } from './role-routes.ts';
import { settingRoutes } from './setting-routes.ts';
import { userRoutes } from './user-routes.ts';

export interface Administration extends DatabaseUseCases, QueryUseCases {
  readonly account: Account;
  readonly apiKeys: ApiKeys;
  readonly auditTrail: AuditTrail;
  readonly home: Home;
  readonly figures: Figures;
  readonly embeds: Embeds | null; // null: Standard Edition
  readonly roles: Roles;
  readonly runningQueries: RunningQueries;
  readonly settings: RuntimeSettings;
  readonly users: Users;
  readonly typedQueries: ToolRouteParts['typedQueries'];
  readonly listAnswers: ToolRouteParts['listAnswers'];
}

export interface Installation {
  readonly mcp: boolean;
  readonly baseUrl: () => string;
  readonly port: () => number;
  readonly tryTool: ToolRouteParts['tryTool'];
}

export function managementRoutes(
  administration: Administration,
  { mcp, baseUrl, port, tryTool }: Installation,
): readonly ManagementRoute[] {
  const { account, apiKeys, auditTrail, embeds, roles, runningQueries, settings, users } = administration;
  return [
    ...accountRoutes(account),
    ...homeRoutes(administration.home, administration.figures),
    ...(embeds === null ? [] : embedManagementRoutes(embeds, baseUrl)),
    ...toolRoutes({
      enabled: mcp,
      baseUrl,
      typedQueries: administration.typedQueries,
      listAnswers: administration.listAnswers,
      tryTool,
    }),
    ...settingRoutes(settings, () => ({ baseUrl: baseUrl(), port: port() })),
    ...apiKeyRoutes(apiKeys),
    ...userRoutes(users),
    ...roleRoutes(roles),
    ...databaseRoutes(administration),
    ...queryRoutes(administration),
    ...auditRoutes(auditTrail),
    ...executionRoutes(runningQueries),
  ];
}
