import { z } from 'zod';
import type { RuntimeSettings } from '../../administration/settings.ts';
import { succeeded } from '../../errors.ts';
import { type ManagementRoute, managementRoute } from '../management-route.ts';

const settingAnswer = z.object({
  name: z.string(),
  key: z.string().describe('Its place in sluice.yaml.'),
  env: z.string().describe('Its environment variable.'),
  meaning: z.string(),
  changeable: z.boolean().describe('Whether it may be changed while the service runs.'),
  secret: z.boolean().describe('A secret is listed without its values.'),
  value: z.unknown().optional().describe('What counts now.'),
  configured: z.unknown().optional().describe('What the settings file and the environment say; a reset leads back to it.'),
  default: z.unknown().optional(),
});
const settingsAnswer = z.object({ settings: z.array(settingAnswer).readonly() });

const settingsBody = z
  .record(z.string(), z.unknown())
  .describe('New values by name or by key in sluice.yaml; null leads back to the configured value.');

const shared = { path: '/settings', tag: 'Settings', needs: 'settings.manage', keys: 'whole' } as const;

export function settingRoutes(runtime: RuntimeSettings): readonly ManagementRoute[] {
  return [
    managementRoute({
      ...shared,
      method: 'GET',
      summary: 'Every setting with the value that counts now',
      answer: settingsAnswer,
      handle: async () => succeeded({ settings: runtime.list() }),
    }),
    managementRoute({
      ...shared,
      method: 'PATCH',
      summary: 'Change settings while the service runs',
      body: settingsBody,
      answer: settingsAnswer,
      action: 'settings.update',
      handle: async ({ body, draft }) => {
        const changed = await runtime.change(body, draft);
        return changed.ok ? succeeded({ settings: changed.value }) : changed;
      },
    }),
  ];
}
