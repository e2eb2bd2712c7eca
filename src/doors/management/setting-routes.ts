import { z } from 'zod';
import type { RuntimeSettings, SettingView } from '../../administration/settings.ts';
import { mapResult, succeeded } from '../../core/errors.ts';
import { nameSchemas } from '../http/operation.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

const settingResponse = z.object({
  name: z.string(),
  key: z.string().describe('Its path in sluice.yaml.'),
  env: z.string().describe('Its environment variable.'),
  meaning: z.string(),
  changeable: z.boolean().describe('Whether it may be changed while the service runs.'),
  secret: z.boolean().describe('A secret is listed without its values.'),
  source: z
    .enum(['default', 'configured', 'changed'])
    .describe('Source of the value: `configured` by settings file or environment, `changed` at runtime.'),
  value: z.unknown().optional().describe('The value in effect.'),
  configured: z.unknown().optional().describe('The value from settings file and environment; in effect after a reset.'),
  default: z.unknown().optional(),
});
const settingsResponse = z.object({ settings: z.array(settingResponse).readonly() });

const settingsBody = z
  .record(z.string(), z.unknown())
  .describe('New values by name or by key in sluice.yaml; null resets to the configured value.');

nameSchemas({ Setting: settingResponse, SettingList: settingsResponse, SettingChange: settingsBody });

const route = routesOf({ tag: 'Settings', needs: 'settings.manage', keys: 'whole' });

/** The actual address, which depends on the port picked at startup. */
type Address = () => { readonly baseUrl: string; readonly port: number };

export function settingRoutes(runtime: RuntimeSettings, address: Address): readonly ManagementRoute[] {
  const toEffective = (settings: readonly SettingView[]) => {
    const found: Partial<Record<SettingView['name'], unknown>> = address();
    return settings.map((each) => (each.name in found ? { ...each, value: found[each.name] } : each));
  };
  return [
    route('GET', '/settings', 'All settings with the values in effect', {
      id: 'listSettings',
      response: settingsResponse,
      handle: async () => succeeded({ settings: toEffective(runtime.list()) }),
    }),
    route('PATCH', '/settings', 'Change settings while the service runs', {
      id: 'changeSettings',
      body: settingsBody,
      response: settingsResponse,
      action: 'settings.update',
      handle: async ({ body, draft }) =>
        mapResult(await runtime.change(body, draft), (changed) => ({ settings: toEffective(changed) })),
    }),
  ];
}
