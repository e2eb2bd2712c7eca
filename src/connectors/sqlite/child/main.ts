import { flushCompileCache } from 'node:module';
import { endWithService } from '../../embedded/child/end-with-service.ts';
import { frameTypes, type Signal } from '../../embedded/frames.ts';
import type { Request } from '../protocol.ts';
import { reportOf } from './failure.ts';
import { flush, receive, sendJson } from './link.ts';
import { OpenFile } from './open-file.ts';
import { describe, run } from './run.ts';
import { readSchema } from './schema.ts';

/**
 * The process that runs SQLite. It handles one request at a time and blocks on it, because SQLite does; so does its I/O. To stop it
 * while it works, the service kills it.
 */
function main(): never {
  endWithService();
  const file = new OpenFile();
  let compiled = false;
  for (;;) {
    const request = receive();
    if (request === undefined) {
      file.close();
      process.exit(0);
    }
    handle(request, file);
    flush();
    if (compiled) continue;
    compiled = true;
    flushCompileCache(); // a killed process would never write it
  }
}

function handle(request: Request | Signal, file: OpenFile): void {
  try {
    if (request.type === 'describe') sendJson(frameTypes.reply, describe(file.toRead(request.file), request));
    else if (request.type === 'schema') sendJson(frameTypes.reply, readSchema(file.toRead(request.file)));
    else if (request.type === 'ping') sendJson(frameTypes.reply, file.toRead(request.file).database.isOpen);
    else if (request.type === 'run') run(file, request);
    // other messages belong to a run that has ended
  } catch (error) {
    sendJson(frameTypes.failure, reportOf(error, 'run'));
  }
}

main();
