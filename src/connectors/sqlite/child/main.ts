import { flushCompileCache } from 'node:module';
import { bindNull } from '../../connector.ts';
import { endWithService } from '../../embedded/child/end-with-service.ts';
import { type EngineRequest, frameTypes, reportOf, type Signal } from '../../embedded/frames.ts';
import { engineError } from './engine-error.ts';
import { flush, receive, sendJson } from './link.ts';
import { OpenFile } from './open-file.ts';
import { queryText, statementText, valuesOf } from './prepare.ts';
import { describe, run } from './run.ts';
import { readSchema } from './schema.ts';

/**
 * The process that runs SQLite. It handles one request at a time and blocks on it, because SQLite does; so does its I/O. To stop it
 * while it works, the service kills it.
 */
function main(): never {
  endWithService();
  let file: OpenFile | undefined;
  let compiled = false;
  for (;;) {
    const request = receive();
    if (request === undefined) {
      file?.close();
      process.exit(0);
    }
    if (request.type === 'open') {
      file = new OpenFile(request);
      sendJson(frameTypes.reply, null);
      continue; // receiving sends it
    }
    handle(request, file);
    if (compiled) continue;
    compiled = true;
    flush();
    flushCompileCache(); // a killed process would never write it
  }
}

function handle(request: EngineRequest | Signal, file: OpenFile | undefined): void {
  try {
    if (file === undefined) throw new Error('The file is not open.');
    switch (request.type) {
      case 'describe':
      case 'checkEpilogue': {
        const isQuery = request.type === 'describe';
        const text = isQuery ? queryText(request.sql) : statementText(request.sql);
        valuesOf(text, request.parameters.map(bindNull));
        return sendJson(frameTypes.reply, describe(file.toRead(), isQuery ? 'select' : 'epilogue', text));
      }
      case 'run':
        return run(file, request);
      case 'schema':
        return sendJson(frameTypes.reply, readSchema(file.toRead()));
      case 'ping':
        return sendJson(frameTypes.reply, file.toRead().database.isOpen);
      default: // a signal to a run that has ended
    }
  } catch (error) {
    sendJson(frameTypes.failure, reportOf(engineError('failed', error)));
  }
}

main();
