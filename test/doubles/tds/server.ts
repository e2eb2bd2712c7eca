import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { MessageReader, packetType } from './packets.ts';
import { Session } from './session.ts';
import type { Store } from './store.ts';

/**
 * A server that speaks enough of TDS 7.4 for the connector: login, batches, procedure calls, rows of every type, errors,
 * attention. Written from the public specification [MS-TDS]; it knows the statements of the tests and is no database.
 */
export interface TdsDouble {
  readonly port: number;
  readonly store: Store;
  readonly connections: number;
  /** Resets every connection, like a killed server. */
  breakOff(): void;
  close(): Promise<void>;
}

export async function startTdsDouble(options: { password: string }): Promise<TdsDouble> {
  const store = emptyStore(options.password);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    serve(socket, store);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakOff = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    store,
    get connections() {
      return sockets.size;
    },
    breakOff,
    async close() {
      breakOff();
      server.close();
      await once(server, 'close');
    },
  };
}

const emptyStore = (password: string): Store => ({
  password,
  logins: [],
  log: [],
  executed: [],
  running: 0,
  resets: 0,
  attentions: 0,
  nextTransaction: 1n,
});

function serve(socket: Socket, store: Store): void {
  const session = new Session(socket, store);
  const reader = new MessageReader();
  let work = Promise.resolve();
  socket.on('close', () => session.interrupt());
  socket.on('data', (bytes) => {
    try {
      for (const message of reader.read(bytes)) {
        if (message.type === packetType.attention) session.interrupt();
        work = work.then(() => session.respond(message)).catch((error: unknown) => fail(socket, error));
      }
    } catch (error) {
      fail(socket, error);
    }
  });
}

/** Closes the connection of a client that violates the protocol and prints the reason. */
function fail(socket: Socket, error: unknown): void {
  if (!socket.destroyed) console.error('TDS double:', error);
  socket.destroy();
}
