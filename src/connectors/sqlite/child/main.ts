import { flushCompileCache } from 'node:module';
import { Worker } from 'node:worker_threads';
import { frameTypes, type Request } from '../protocol.ts';
import { reportOf } from './failure.ts';
import { receive, sendJson } from './link.ts';
import { OpenFile } from './open-file.ts';
import { describe, run } from './run.ts';
import { readSchema } from './schema.ts';

/**
 * The process that runs SQLite. It does one thing at a time and blocks on it, reading and writing included, because SQLite does;
 * whoever wants it to end while it works kills it.
 */
function main(): never {
  // the terminal sends these to the service's children too; the service decides when they end
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  endWithTheService();
  const file = new OpenFile();
  let compiled = false;
  for (;;) {
    const request = receive();
    if (request === undefined) {
      file.close();
      process.exit(0);
    }
    answer(request, file);
    if (compiled) continue;
    compiled = true;
    flushCompileCache(); // a killed process would never write it, and the next would start as slowly
  }
}

function answer(request: Request, file: OpenFile): void {
  try {
    if (request.type === 'describe') sendJson(frameTypes.reply, describe(file.toRead(request.file), request));
    else if (request.type === 'schema') sendJson(frameTypes.reply, readSchema(file.toRead(request.file)));
    else if (request.type === 'ping') sendJson(frameTypes.reply, file.toRead(request.file).database.isOpen);
    else if (request.type === 'run') run(file, request);
    // the rest was meant for a run that had ended by then
  } catch (error) {
    sendJson(frameTypes.failure, reportOf(error, 'run'));
  }
}

/**
 * Standard input is a pipe that the service holds open as long as it lives. A thread watches it, for the main one is blocked.
 * It is given as text: a file of its own would be compiled anew in every process.
 */
function endWithTheService(): void {
  const watch = `
    const { Socket } = require('node:net');
    const lifeline = new Socket({ fd: 0, readable: true, writable: false });
    lifeline.on('error', () => {});
    lifeline.on('close', () => process.kill(process.pid, 'SIGKILL'));
    lifeline.resume();`;
  new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 } });
}

main();
