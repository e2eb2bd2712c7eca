import { useCallback, useEffect, useRef, useState } from 'react';
import type { FileFormat } from '../../../src/core/file-format.ts';
import { callForFile } from '../../app/api.ts';
import { isAbort, Problem, problemOf } from '../../app/problem.ts';
import type { SentParameter } from '../../app/wire.ts';
import { useRowsSoFar } from '../../components/run/use-run-query.ts';
import { saveFile } from '../../components/save-file.ts';

interface Job {
  readonly state: 'idle' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly format: FileFormat | null;
  readonly startedAt: number | null;
  readonly bytes: number;
  readonly fileName: string | null; // of the saved file
  readonly problem: Problem | null;
}

const nothing: Job = { state: 'idle', format: null, startedAt: null, bytes: 0, fileName: null, problem: null };
const REPORT_EVERY_MS = 200;

export interface Export extends Job {
  readonly rowsSoFar: number | null;
  readonly begin: (format: FileFormat, queryName: string, parameters: readonly SentParameter[]) => Promise<void>;
  readonly cancel: () => void;
}

/** Exports a whole result. The file is saved after the last byte, so an interrupted export leaves no file. */
export function useExport(): Export {
  const [job, setJob] = useState(nothing);
  const [queryName, setQueryName] = useState<string | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const begin = useCallback(async (format: FileFormat, name: string, parameters: readonly SentParameter[]) => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    const change = (some: Partial<Job>) => {
      if (controller.current === own) setJob((before) => ({ ...before, ...some }));
    };
    setQueryName(name);
    setJob({ ...nothing, state: 'running', format, startedAt: Date.now() });
    try {
      const response = await callForFile(
        'POST /api/v1/Export/ExecuteQuery',
        { query: { format }, body: { QueryName: name, Parameters: parameters } },
        { signal: own.signal },
      );
      const fileName = fileNameOf(response, `${name}.${format}`);
      const file = await receiveFile(response, (bytes) => change({ bytes }));
      saveFile(file, fileName);
      change({ state: 'done', startedAt: null, bytes: file.size, fileName });
    } catch (error) {
      change(
        isAbort(error)
          ? { state: 'cancelled', startedAt: null }
          : { state: 'failed', startedAt: null, problem: error instanceof TypeError ? interruptedProblem() : problemOf(error) },
      );
    }
  }, []);
  const cancel = useCallback(() => controller.current?.abort(), []);
  return { ...job, rowsSoFar: useRowsSoFar(queryName, job.startedAt), begin, cancel };
}

async function receiveFile(response: Response, report: (bytes: number) => void): Promise<Blob> {
  if (response.body === null) return response.blob();
  const parts: BlobPart[] = [];
  let bytes = 0;
  let reportedAt = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts, { type: response.headers.get('Content-Type') ?? '' });
    parts.push(value);
    bytes += value.length;
    if (Date.now() - reportedAt < REPORT_EVERY_MS) continue;
    reportedAt = Date.now();
    report(bytes);
  }
}

/** `filename*` holds the full Unicode name. */
function fileNameOf(response: Pick<Response, 'headers'>, otherwise: string): string {
  const disposition = response.headers.get('Content-Disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return encoded === undefined ? (/filename="([^"]+)"/i.exec(disposition)?.[1] ?? otherwise) : decodeURIComponent(encoded);
}

const interruptedProblem = (): Problem =>
  new Problem({
    status: 0,
    code: 'export_broken_off',
    message: 'The export was interrupted. Nothing was saved. Try again.',
  });
