import type { FastifyInstance } from 'fastify';
import { ConfigError, settings } from '../../config/config.ts';

/** The path of the base URL, below which a proxy serves everything. */
export type BasePath = '' | `/${string}`;

export function basePathOf(baseUrl: string | null): BasePath {
  const path = baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/^\/|\/$/g, '');
  return path === '' ? '' : `/${path}`;
}

/**
 * Removes the base path from a request target. A proxy may have removed it already, so other targets stay as they are. Ignores
 * case, as routes do.
 */
export function removeBasePath(basePath: BasePath, target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, ''); // of a request in absolute form
  if (basePath === '' || !path.toLowerCase().startsWith(basePath.toLowerCase())) return target;
  const rest = path.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || /^[?#]/.test(rest) ? `/${rest}` : target;
}

/** Refuses a base path that is the start of a route: behind a proxy that removes the base path they would be ambiguous. */
export function refuseBasePathOfRoutes(app: FastifyInstance, basePath: BasePath): void {
  if (basePath === '') return;
  app.addHook('onRoute', ({ url }) => {
    if (!`${url}/`.toLowerCase().startsWith(`${basePath}/`.toLowerCase())) return;
    throw new ConfigError(
      `bad value for ${settings.baseUrl.env}: its path ${basePath} is that of the service's own ${url}; expected another one such as /sluice`,
    );
  });
}
