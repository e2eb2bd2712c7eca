import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { zstdCompressSync } from 'node:zlib';

/** Where segments are loaded from: the storage, the coordinator, or the storage by a redirect of the coordinator. */
export type RetrievalMode = 'storage' | 'coordinator' | 'redirect';

export interface SegmentParts {
  bytes: Buffer;
  metadata: Record<string, unknown>;
  uri: string;
}

/** How a server spools, and what it does wrong. */
export interface Spooling {
  readonly mode: RetrievalMode;
  /** The first segment is in the page; default true. */
  readonly inlines?: boolean;
  /** Changes a segment, counted from 0 in each query, before it is announced. */
  readonly change?: (segment: SegmentParts, index: number) => void;
  /** Replaces the response of the storage to a request for a segment. */
  readonly respond?: (response: ServerResponse, index: number, attempt: number) => boolean;
}

export interface SpoolRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

interface Stored {
  readonly bytes: Buffer;
  readonly index: number;
  attempts: number;
}

const key = 'x-amz-server-side-encryption-customer-key';
const compressionThreshold = 8 * 1024;

/** An object storage with segments of results, as Trino's spooling manager uses it. */
export async function startSpool() {
  const requests: SpoolRequest[] = [];
  const stored = new Map<string, Stored>();
  let spooling: Spooling | undefined;
  let loading = 0;
  let mostLoading = 0;
  let count = 0;

  async function load(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = path.split('?')[0]?.split('/').at(-1) ?? '';
    const found = stored.get(id);
    if (found === undefined) return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    if (request.headers[key] !== id) return void response.writeHead(400).end('<Error><Code>InvalidRequest</Code></Error>');
    loading++;
    mostLoading = Math.max(mostLoading, loading);
    // later segments of a group arrive first
    await new Promise((resolve) => setTimeout(resolve, 4 - (found.index % 4)));
    loading--;
    if (spooling?.respond?.(response, found.index, ++found.attempts) === true) return;
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.bytes);
  }

  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({ path, headers: request.headers });
    void load(path, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;

  return {
    port,
    requests,
    stored,
    mostLoading: () => mostLoading,
    get spooling() {
      return spooling;
    },
    set spooling(how: Spooling | undefined) {
      spooling = how;
    },

    /** The segment of these rows, as JSON. */
    segment(json: string, rowsCount: number, rowOffset: number, index: number, encoding: string): object {
      const raw = Buffer.from(json);
      const isCompressed = encoding === 'json+zstd' && raw.length >= compressionThreshold;
      const bytes = isCompressed ? zstdCompressSync(raw) : raw;
      const id = `segment${++count}`;
      const { mode = 'storage', inlines = true, change } = spooling ?? {};
      const parts: SegmentParts = {
        bytes,
        metadata: {
          rowOffset,
          rowsCount,
          segmentSize: bytes.length,
          ...(isCompressed ? { uncompressedSize: raw.length } : {}),
        },
        uri:
          mode === 'storage'
            ? `http://127.0.0.1:${port}/bucket/${id}?X-Amz-Signature=secret`
            : `http://coordinator.internal:9999/v1/spooled/download/${id}`,
      };
      change?.(parts, index);
      if (inlines && index === 0) return { type: 'inline', data: parts.bytes.toString('base64'), metadata: parts.metadata };
      stored.set(id, { bytes: parts.bytes, index, attempts: 0 });
      const ackUri = `http://coordinator.internal:9999/v1/spooled/ack/${id}`;
      return { type: 'spooled', uri: parts.uri, ackUri, metadata: parts.metadata, headers: { [key]: [id] } };
    },

    /** Requests under /v1/spooled of the coordinator. */
    async reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const [, , , action, id = ''] = (request.url ?? '').split('/');
      if (action === 'ack') {
        if (request.headers[key] === id) stored.delete(id);
        response.writeHead(200).end();
      } else if (spooling?.mode === 'redirect') {
        response.writeHead(303, { location: `http://127.0.0.1:${port}/bucket/${id}` }).end();
      } else await load(id, request, response);
    },

    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Spool = Awaited<ReturnType<typeof startSpool>>;
