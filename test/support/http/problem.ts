import { expect } from 'vitest';
import type { ApiResponse } from '../services/service.ts';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly {
    readonly field: string;
    readonly code: string;
    readonly message: string;
    readonly line?: number;
    readonly column?: number;
  }[];
}

export const problemOf = (response: ApiResponse<unknown>): Problem => response.json as Problem; // callers expect a problem response
export const fieldsOf = (response: ApiResponse<unknown>): string[] => problemOf(response).errors?.map((each) => each.field) ?? [];

/** Expects a problem response with this status and code and exactly the documented fields. */
export async function expectProblem(sent: Promise<ApiResponse<unknown>>, status: number, code: string): Promise<Problem> {
  const response = await sent;
  expect({ status: response.status, text: response.text }).toMatchObject({
    status,
    text: expect.stringContaining(`"code":"${code}"`),
  });
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json(; charset=utf-8)?$/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const problem: Problem = JSON.parse(response.text);
  const { errors, ...fields } = problem;
  expect(fields).toEqual({
    type: `urn:sluice:problem:${code}`,
    title: expect.stringMatching(/./),
    status,
    detail: expect.stringMatching(/./),
    code,
    requestId: response.headers.get('x-request-id'),
  });
  for (const [index, each] of (errors ?? []).entries())
    expect(each).toEqual({
      field: expect.any(String),
      code: index === 0 ? code : expect.stringMatching(new RegExp(`^(${code}|(field|parameter)_(unknown|missing|invalid))$`)),
      message: expect.stringMatching(/./),
    });
  return problem;
}

/** Expects a refusal that names one field or parameter, and returns its message. */
export async function expectFieldProblem(
  sent: Promise<ApiResponse<unknown>>,
  code: 'field_unknown' | 'field_missing' | 'field_invalid' | 'parameter_unknown' | 'parameter_invalid',
  field: string,
): Promise<string> {
  const { errors } = await expectProblem(sent, 400, code);
  expect(errors?.map((each) => each.field)).toEqual([field]);
  return errors?.[0]?.message ?? '';
}
