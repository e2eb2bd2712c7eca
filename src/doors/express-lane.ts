import { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Roster } from '../roster.ts';
import { ExpressConnection, type ExpressRoute, type Lane } from './express-connection.ts';
import type { ObserveRequest } from './health-routes.ts';

export interface ExpressLaneParts {
  readonly routes: readonly ExpressRoute[];
  readonly bodyLimit: number;
  readonly isClosing: () => boolean;
  readonly observe: ObserveRequest;
  readonly clock?: LaneClock;
}

export interface LaneClock {
  now(): number; // milliseconds, monotonic
  /** Calls `work` again and again; the function that it returns ends that. */
  every(milliseconds: number, work: () => void): () => void;
}

export interface ExpressLane {
  /** To be called when the server closes: those that are answering end with their answer. */
  closeIdle(): void;
  closeAll(): void;
}

const LARGEST_BODY = 16_384;
const SWEEP_MS = 1000;

export const systemClock: LaneClock = {
  now: () => performance.now(),
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds).unref();
    return () => clearInterval(timer);
  },
};

/**
 * Calls in their plainest form, which are nearly all calls of programs, go from the socket to their handler. Whatever is not plain goes the usual
 * way, and both ways answer alike: the handler is the same.
 */
export function openExpressLane(
  app: FastifyInstance,
  { routes, bodyLimit, isClosing, observe, clock = systemClock }: ExpressLaneParts,
): ExpressLane {
  const isSecure = app.server instanceof SecureServer;
  const event = isSecure ? 'secureConnection' : 'connection';
  const usual = app.server.listeners(event);
  const connections = new Roster<ExpressConnection>();
  const lane: Lane = {
    app,
    routes: new Map(routes.map((route) => [route.path, route])),
    largestBody: Math.min(LARGEST_BODY, bodyLimit),
    keepAliveMs: app.server.keepAliveTimeout,
    now: clock.now,
    isClosing,
    isSecure,
    observe,
    handOver(connection, socket, unread) {
      connections.remove(connection);
      for (const listener of usual) listener.call(app.server, socket);
      if (unread.length > 0) socket.unshift(unread);
    },
    closed: (connection) => connections.remove(connection),
  };
  app.server.removeAllListeners(event);
  app.server.on(event, (socket: Socket) => connections.add(new ExpressConnection(socket, lane)));
  const stopSweeping = clock.every(SWEEP_MS, () => {
    for (const connection of connections.list()) connection.sweep();
  });
  app.addHook('onClose', async () => stopSweeping());
  return {
    closeIdle() {
      for (const connection of connections.list()) connection.closeIfIdle();
    },
    closeAll() {
      for (const connection of connections.list()) connection.close();
    },
  };
}
