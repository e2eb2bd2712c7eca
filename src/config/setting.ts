import type { z } from 'zod';

export interface Setting<T> {
  readonly key: string; // path in sluice.yaml
  readonly env: string;
  readonly schema: z.ZodType<T>;
  readonly fallback: T;
  readonly meaning: string;
  readonly changeable?: boolean; // at runtime, on the Settings page
  readonly secret?: boolean; // never shown
}

const settingsWith =
  (more: { changeable?: boolean; secret?: boolean }) =>
  <T>(key: string, env: string, schema: z.ZodType<T>, fallback: NoInfer<T>, meaning: string): Setting<T> => ({
    key,
    env,
    schema,
    fallback,
    meaning,
    ...more,
  });

export const setting = settingsWith({});
export const changeable = settingsWith({ changeable: true });
export const secret = settingsWith({ secret: true });
