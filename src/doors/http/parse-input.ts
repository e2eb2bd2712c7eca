import type { z } from 'zod';
import { failed, type Result, succeeded } from '../../errors.ts';

/** Parses a value by its schema; problems name their field in plain language. */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown): Result<T> {
  const result = schema.safeParse(value, { error: plainMessage, reportInput: true });
  if (result.success) return succeeded(result.data);
  const issues = result.error.issues;
  const missing = issues.find((issue) => issue.code === 'invalid_type' && issue.path.length > 0 && issue.input === undefined);
  if (missing !== undefined && issues.length === 1) return failed({ kind: 'FieldMissing', field: missing.path.join('.') });
  return failed({
    kind: 'FieldInvalid',
    problems: issues.map((issue) => ({ field: issue.path.join('.') || 'body', message: `${issue.message.replace(/\.$/, '')}.` })),
  });
}

/** For schemas without a message. */
function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'This field is required.'
        : `Expected ${named[issue.expected] ?? `a ${issue.expected}`}.`;
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) === 1) return 'It must not be empty.';
      return `Expected at least ${issue.minimum}${units[issue.origin] ?? ''}.`;
    case 'too_big':
      return `Expected at most ${issue.maximum}${units[issue.origin] ?? ''}.`;
    case 'invalid_value':
      return `Expected ${issue.values.map((each) => JSON.stringify(each)).join(' or ')}.`;
    case 'unrecognized_keys':
      return `Unknown field: ${issue.keys.join(', ')}.`;
    default:
      return undefined;
  }
}

const named: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  null: 'null',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };
