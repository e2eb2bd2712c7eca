import { useCallback, useEffect, useRef, useState } from 'react';
import { interruptedProblem, isAbort, type Problem, problemOf, problemOfResponse } from '../app/problem.ts';
import type { Row } from '../app/wire.ts';
import type { HttpCall } from '../components/copy/curl.ts';
import { incompleteReason } from '../components/run/incomplete-note.tsx';
import { readRows } from '../components/run/read-rows.ts';

/** The response of the test call. */
export interface TestResponse {
  readonly status: number;
  readonly statusText: string;
  readonly durationMs: number;
  readonly bytes: number;
  readonly text: string;
  readonly requestId: string | null;
  readonly rows: readonly Row[] | null; // null: not a result page
  readonly next: { readonly rowIndex: string; readonly queryMoreCode: string } | null; // null: the last page
  readonly incomplete: string | null; // why rows of the result are missing
  readonly problem: Problem | null;
  readonly withSession: boolean;
}

interface Test {
  readonly startedAt: number | null;
  readonly response: TestResponse | null; // stays until the next one arrives
  readonly problem: Problem | null; // no response received
  readonly cancelledMs: number | null; // how long the last call took until it was cancelled
}

const nothing: Test = { startedAt: null, response: null, problem: null, cancelledMs: null };

export interface TestCall extends Test {
  readonly send: (call: HttpCall, withSession: boolean) => Promise<TestResponse | null>; // null: no response
  readonly cancel: () => void;
  readonly reset: () => void;
}

/** Sends the call as a program would: with its credential, or with the session cookie if there is none. */
export function useTestCall(): TestCall {
  const [test, setTest] = useState(nothing);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const send = useCallback(async (call: HttpCall, withSession: boolean) => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    const startedAt = Date.now();
    setTest((before) => ({ ...before, startedAt, problem: null, cancelledMs: null }));
    const finish = (end: Partial<Test>) => {
      if (controller.current === own) setTest((before) => ({ ...before, startedAt: null, ...end }));
    };
    try {
      const response = await responseOf(call, withSession, own.signal);
      finish({ response });
      return response;
    } catch (error) {
      if (isAbort(error)) finish({ cancelledMs: Date.now() - startedAt });
      else finish({ response: null, problem: error instanceof TypeError ? interruptedProblem() : problemOf(error) });
      return null;
    }
  }, []);
  const cancel = useCallback(() => controller.current?.abort(), []);
  const reset = useCallback(() => {
    controller.current?.abort();
    controller.current = null;
    setTest(nothing);
  }, []);
  return { ...test, send, cancel, reset };
}

async function responseOf(
  { method, url, headers, body }: HttpCall,
  withSession: boolean,
  signal: AbortSignal,
): Promise<TestResponse> {
  const startedAt = performance.now();
  const response = await fetch(url, { method, headers, body, signal, credentials: withSession ? 'same-origin' : 'omit' });
  const copy = response.clone();
  const text = await response.text();
  const page = response.ok ? pageOf(text) : null;
  return {
    status: response.status,
    statusText: response.statusText,
    durationMs: performance.now() - startedAt,
    bytes: new Blob([text]).size,
    text,
    requestId: response.headers.get('X-Request-Id'),
    rows: page?.rows ?? null,
    next: page?.next ?? null,
    incomplete: incompleteReason(response.headers),
    problem: response.ok ? null : await problemOfResponse(copy),
    withSession,
  };
}

/** Reads a result page of either call form. */
function pageOf(text: string): Pick<TestResponse, 'rows' | 'next'> {
  const page = readRows(text);
  if (typeof page !== 'object' || page === null) return { rows: null, next: null };
  const part = (name: string): unknown => Reflect.get(page, name) ?? Reflect.get(page, name[0]?.toLowerCase() + name.slice(1));
  const [data, code, index] = [part('Data'), part('QueryMoreCode'), part('NextRowIndex')];
  return {
    rows: Array.isArray(data) ? data : null,
    next: typeof code === 'string' ? { rowIndex: String(index), queryMoreCode: code } : null,
  };
}
