import { once } from 'node:events';
import { connect as connectTo, createServer, type Server, type Socket } from 'node:net';

/** A loopback port in front of a server, which can be closed and opened again. */
export interface TcpRelay {
  readonly port: number;
  /** Closes all connections and refuses new ones. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Keeps back what the server sends on the connections that are open, until the returned function is called. */
  hold(): () => void;
}

export async function startRelay(target: { host: string; port: number }): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  const answers = new Map<Socket, Socket>(); // from the server to its client
  const relay = (inner: Socket): void => {
    const outer = connectTo(target.port, target.host);
    answers.set(outer, inner);
    outer.on('close', () => answers.delete(outer));
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer(relay).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The relay has no port.');
  const { port } = address;
  return {
    port,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    start: async () => {
      server = await listen(port);
    },
    hold: () => {
      const held = [...answers];
      for (const [from, to] of held) from.unpipe(to);
      return () => {
        for (const [from, to] of held) from.pipe(to);
      };
    },
  };
}
