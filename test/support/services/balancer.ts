import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer without affinity: each call goes to a random active service. */
export interface Balancer {
  readonly url: string;
  /** Sends no more calls to a service, like after a failed health check. Resolves when those that it has are over. */
  drop(url: string): Promise<void>;
  /** Sends calls to one more service. */
  add(url: string): void;
  /** The number of calls per service. */
  counts(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

export async function startBalancer(urls: readonly string[], pick: (count: number) => number): Promise<Balancer> {
  const alive = [...urls];
  const counts: Record<string, number> = {};
  const running = new Set<{ readonly target: string; readonly over: Promise<unknown> }>();
  const server = createServer((incoming, outgoing) => {
    const target = alive[pick(alive.length)];
    if (target === undefined) return void outgoing.writeHead(502).end();
    counts[target] = (counts[target] ?? 0) + 1;
    const { hostname, port } = new URL(target);
    const { method, url: path, headers } = incoming;
    const passed = request(
      { hostname, port, method, path, headers: { ...headers, connection: 'close' }, agent: false },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        // passes an aborted response on to the client
        response.on('error', () => outgoing.destroy());
        response.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    const call = { target, over: new Promise((resolve) => outgoing.once('close', resolve)) };
    running.add(call);
    outgoing.on('close', () => {
      running.delete(call);
      passed.destroy();
    });
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    drop: async (url) => {
      alive.splice(alive.indexOf(url), 1);
      await Promise.all([...running].filter(({ target }) => target === url).map(({ over }) => over));
    },
    add: (url) => void alive.push(url),
    counts: () => counts,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
