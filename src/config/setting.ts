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

export const setting = <T>(
  key: string,
  env: string,
  schema: z.ZodType<T>,
  fallback: NoInfer<T>,
  meaning: string,
  more: { changeable?: boolean; secret?: boolean } = {},
): Setting<T> => ({ key, env, schema, fallback, meaning, ...more });
