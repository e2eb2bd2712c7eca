import { expect } from 'vitest';
import type { Answer } from '../services/service.ts';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly field: string; readonly code: string; readonly message: string }[];
}

/** The answer is a problem of that status and word, with the documented fields and no other. */
export async function expectProblem(sent: Promise<Answer<unknown>>, status: number, code: string): Promise<Problem> {
  const answer = await sent;
  expect({ status: answer.status, text: answer.text }).toMatchObject({
    status,
    text: expect.stringContaining(`"code":"${code}"`),
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json(; charset=utf-8)?$/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const problem: Problem = JSON.parse(answer.text);
  const { errors, ...fields } = problem;
  expect(fields).toEqual({
    type: `urn:sluice:problem:${code}`,
    title: expect.stringMatching(/./),
    status,
    detail: expect.stringMatching(/./),
    code,
    requestId: answer.headers.get('x-request-id'),
  });
  for (const each of errors ?? []) expect(each).toEqual({ field: expect.any(String), code, message: expect.stringMatching(/./) });
  return problem;
}

/** A refusal that names one field or parameter. */
export async function expectFieldProblem(
  sent: Promise<Answer<unknown>>,
  code: 'field_missing' | 'field_invalid' | 'parameter_invalid',
  field: string,
): Promise<string> {
  const { errors } = await expectProblem(sent, 400, code);
  expect(errors?.map((each) => each.field)).toEqual([field]);
  return errors?.[0]?.message ?? '';
}
