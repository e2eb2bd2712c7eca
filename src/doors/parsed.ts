import type { z } from 'zod';
import { failed, type Result, succeeded } from '../errors.ts';

/** A value by its schema; problems name their field. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown): Result<T> {
  const result = schema.safeParse(value);
  if (result.success) return succeeded(result.data);
  const issues = result.error.issues;
  const missing = issues.find(
    (issue) => issue.code === 'invalid_type' && issue.path.length > 0 && at(value, issue.path) === undefined,
  );
  if (missing !== undefined && issues.length === 1) return failed({ kind: 'FieldMissing', field: missing.path.join('.') });
  return failed({
    kind: 'FieldInvalid',
    problems: issues.map((issue) => ({ field: issue.path.join('.') || 'body', message: `${issue.message.replace(/\.$/, '')}.` })),
  });
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? Reflect.get(node, key) : undefined),
    value,
  );
}
