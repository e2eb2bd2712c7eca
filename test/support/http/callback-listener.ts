import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';

export interface CallbackListener {
  readonly url: string;
  /** The parameters of the next callback. */
  next(): Promise<Readonly<Record<string, string>>>;
  close(): Promise<void>;
}

/** The callback of an application on this computer. */
export async function listenForCallbacks(): Promise<CallbackListener> {
  const seen: Record<string, string>[] = [];
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/callback') seen.push(Object.fromEntries(searchParams));
    response.end('Connected');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/callback`,
    next: async () => {
      await expect.poll(() => seen.length).toBeGreaterThan(0);
      return seen.shift() ?? {};
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
