import { z } from 'zod';
import { viewerSub } from '../../access/viewer.ts';
import type { Vouching } from '../../administration/users/vouching.ts';
import { nameSchemas } from '../http/operation.ts';
import { idParams, listQuery, listRequest, listResponse, timeOrNever } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

const signingKeysKind = z.enum(['jwks', 'jwksUri', 'secret']);
const signingKey = z.object({ kid: z.string().nullable(), alg: z.string().describe('`EdDSA`, `ES256`, `RS256` or `HS256`.') });
const signingKeysResponse = z.object({
  kind: signingKeysKind.nullable().describe('Null: the application has no keys and signs no tokens.'),
  keys: z.array(signingKey).readonly().describe('The keys that are stored here.'),
  jwksUri: z.string().nullable(),
});
const newSigningKeysResponse = signingKeysResponse.extend({
  secret: z.string().optional().describe('A new secret: 32 bytes in base64url. It is shown only once and stored sealed.'),
});
const member = z.string().max(2000).optional();
const jwk = z.looseObject({
  ...{ kty: z.string(), crv: member, x: member, y: member, n: member, e: member },
  ...{ kid: z.string().max(200).optional(), alg: member, use: member },
});
const signingKeysBody = z.object({
  jwks: z
    .looseObject({ keys: z.array(jwk).max(100) })
    .optional()
    .describe('Public keys as a JWKS: Ed25519, P-256 or RSA. Several at once, so that keys can be replaced without a pause.'),
  jwksUri: z.string().max(2000).optional().describe('The https address of a JWKS, which is read again every few minutes.'),
  secret: z.literal(true).optional().describe('Creates a secret for HS256.'),
});
const viewerResponse = z.object({
  sub: z.string(),
  calls: z.number().int(),
  lastUsedAt: timeOrNever.describe('Null: not seen for 30 days.'),
  blockedAt: timeOrNever.describe('Null: not blocked.'),
});
const viewerParams = idParams.extend({ sub: viewerSub.describe('The `sub` of the tokens, percent-encoded.') });

nameSchemas({
  SigningKeysKind: signingKeysKind,
  SigningKey: signingKey,
  SigningKeys: signingKeysResponse,
  CreatedSigningKeys: newSigningKeysResponse,
  NewSigningKeys: signingKeysBody,
  Viewer: viewerResponse,
});

/** The keys by which an application vouches for viewers, and its viewers. */
export function viewerRoutes(vouching: Vouching): readonly ManagementRoute[] {
  const route = routesOf({ tag: 'Users', needs: 'users.manage', visibleWith: ['users.manage'], keys: 'none' });
  return [
    route('GET', '/users/:id/signing-keys', 'The keys that verify the viewer tokens of an application', {
      id: 'getSigningKeys',
      response: signingKeysResponse,
      failures: ['PermissionDenied', 'StateConflict'],
      handle: ({ principal, id }) => vouching.get(principal, id),
    }),
    route(
      'PUT',
      '/users/:id/signing-keys',
      'Replace the signing keys of an application; tokens of earlier ones end immediately',
      {
        id: 'replaceSigningKeys',
        body: signingKeysBody,
        response: newSigningKeysResponse,
        action: 'user.signing-keys',
        failures: ['PermissionDenied', 'StateConflict', 'VersionConflict'],
        handle: ({ principal, id, body, draft }) => vouching.replace(principal, id, body, draft),
      },
    ),
    route('DELETE', '/users/:id/signing-keys', 'Remove the signing keys of an application; its viewer tokens end immediately', {
      id: 'deleteSigningKeys',
      response: null,
      action: 'user.signing-keys',
      failures: ['PermissionDenied', 'StateConflict', 'VersionConflict'],
      handle: ({ principal, id, draft }) => vouching.remove(principal, id, draft),
    }),
    route(
      'GET',
      '/users/:id/viewers',
      'The viewers of an application: those seen lately, latest first, then other blocked ones by name',
      {
        id: 'listViewers',
        query: listQuery,
        response: listResponse(viewerResponse),
        failures: ['PermissionDenied', 'StateConflict'],
        handle: ({ principal, id, query }) => vouching.listViewers(principal, id, listRequest(query)),
      },
    ),
    route('POST', '/users/:id/viewers/:sub/block', 'Block a viewer: their tokens are refused immediately', {
      id: 'blockViewer',
      params: viewerParams,
      response: viewerResponse,
      action: 'viewer.block',
      failures: ['PermissionDenied', 'StateConflict'],
      handle: ({ principal, id, params, draft }) => vouching.block(principal, id, params.sub, draft),
    }),
    route('DELETE', '/users/:id/viewers/:sub/block', 'Accept the tokens of a viewer again', {
      id: 'unblockViewer',
      params: viewerParams,
      response: null,
      action: 'viewer.unblock',
      failures: ['PermissionDenied', 'StateConflict'],
      handle: ({ principal, id, params, draft }) => vouching.unblock(principal, id, params.sub, draft),
    }),
  ];
}
