import type { Socket } from 'node:net';
import type { ApiResponse } from './answer.ts';
import { Bytes } from './bytes.ts';
import { describeAnswer } from './describe.ts';
import { response, batchAnswers } from './engine.ts';
import type { Value, Variables } from './expressions.ts';
import { SqlFailure } from './failure.ts';
import { type Login, preloginAnswer, readLogin } from './login.ts';
import { type Message, MessageWriter, packetType } from './packets.ts';
import { type Request, readBatch, readRpc } from './requests.ts';
import type { Store } from './store.ts';
import {
  changed,
  columnMetadata,
  done,
  doneStatus,
  errorToken,
  infoToken,
  loginAck,
  orderToken,
  returnStatus,
  returnValue,
  type SqlError,
  writeRow,
} from './tokens.ts';
import { collation } from './types.ts';

const batchBytes = 1 << 15;

/** The state of one client connection. */
export class Session {
  readonly #socket: Socket;
  readonly #store: Store;
  #login: Login | undefined;
  #transaction = 0n;
  #added: string[] = []; // by the transaction
  #lockTimeOut: string | undefined;
  #remembered: string | null = null; // session state: a context, a setting, a temporary table
  #attention = Promise.withResolvers<void>();
  #attended = false;

  constructor(socket: Socket, store: Store) {
    this.#socket = socket;
    this.#store = store;
  }

  /** Interrupts the running statement. */
  interrupt(): void {
    this.#attended = true;
    this.#attention.resolve();
  }

  async respond(message: Message): Promise<void> {
    const out = new MessageWriter(this.#socket, this.#login?.packetSize ?? 4096);
    if (message.type === packetType.prelogin) return out.end(preloginAnswer());
    if (message.type === packetType.login) return out.end(this.#logIn(readLogin(message.payload)));
    if (message.type === packetType.attention) {
      this.#store.attentions++;
      this.#attended = false;
      this.#attention = Promise.withResolvers();
      return out.end(done(doneStatus.attention));
    }
    if (message.reset) await out.write(this.#reset());
    if (message.ignored) return out.end(done(doneStatus.final));
    const request = message.type === packetType.rpc ? readRpc(message.payload) : readBatch(message.payload);
    this.#store.running++;
    try {
      await this.#perform(request, out);
    } finally {
      this.#store.running--;
    }
  }

  #logIn(login: Login): Buffer {
    if (login.password !== this.#store.password) {
      const refused: SqlError = { number: 18456, severity: 14, message: `Login failed for user '${login.user}'.` };
      return Buffer.concat([errorToken(refused), done(doneStatus.error)]);
    }
    this.#login = { ...login, packetSize: Math.min(login.packetSize, 32_767) };
    this.#store.logins.push(login);
    return Buffer.concat([
      changed.database(login.database || 'master'),
      infoToken({ number: 5701, message: 'Changed database context.' }),
      changed.collation(collation),
      loginAck(login.version),
      changed.packetSize(login.packetSize),
      done(doneStatus.final),
    ]);
  }

  async #perform(request: Request, out: MessageWriter): Promise<void> {
    const inProcedure = request.procedure !== undefined;
    const last = inProcedure ? 'doneProc' : 'done';
    try {
      if (request.transaction !== this.#transaction) throw new SqlFailure(wrongTransaction);
      const open = await (inProcedure ? this.#call(request, out) : this.#batch(request.batch ?? '', out));
      if (inProcedure) await out.write(returnStatus(0));
      if (open !== undefined) await out.write(returnValue('@open', open));
      await out.end(done(doneStatus.final, 0, last));
    } catch (error) {
      if (!(error instanceof SqlFailure) && !(error instanceof Interrupted)) throw error;
      // XACT_ABORT is on: an error or an interruption rolls back
      const tokens = [this.#end('rolledBack')];
      if (error instanceof SqlFailure) tokens.unshift(errorToken(error.error), ...error.consequences.map(errorToken));
      await out.end(Buffer.concat([...tokens, done(doneStatus.error, 0, last)]));
    }
  }

  /** Returns the value of its output parameter. */
  async #call({ procedure, parameters }: Request, out: MessageWriter): Promise<number | undefined> {
    const [first, second, ...values] = parameters.map(({ value }) => value);
    const types = readDeclarations(second ?? '');
    if (procedure === 'sys.sp_describe_first_result_set') {
      const nothing = new Map([...types].map(([name, type]): [string, Value] => [name, { type, text: null }]));
      await this.#send(describeAnswer(first ?? '', nothing), out, 'doneInProc');
      return undefined;
    }
    if (procedure !== 'sp_executesql')
      throw new SqlFailure({ number: 2812, message: `Could not find procedure '${procedure}'.` });
    if (/^EXEC sp_executesql @statement\b/m.test(first ?? '')) return this.#callNested(first ?? '', parameters.slice(2), out);
    await this.#execute(first ?? '', types, values, out);
    return undefined;
  }

  /** `SET …; BEGIN TRANSACTION`, a statement that is a parameter, and the rollback. Settings last until the end of the call. */
  async #callNested(text: string, parameters: Request['parameters'], out: MessageWriter): Promise<number> {
    const lockTimeOut = this.#lockTimeOut;
    const [statement, types, ...values] = parameters.filter(({ name }) => name !== '@open').map(({ value }) => value);
    try {
      await this.#batch(/^SET LOCK_TIMEOUT.*BEGIN TRANSACTION$/m.exec(text)?.[0] ?? '', out);
      await this.#execute(statement ?? '', readDeclarations(types ?? ''), values, out);
      const open = this.#transaction === 0n ? 0 : 1;
      await out.write(this.#end('rolledBack'));
      return open;
    } finally {
      this.#lockTimeOut = lockTimeOut;
    }
  }

  async #execute(sql: string, types: Map<string, string>, values: readonly (string | null)[], out: MessageWriter): Promise<void> {
    const variables: Variables = new Map(
      [...types].map(([name, type], index): [string, Value] => [name, { type, text: values[index] ?? null }]),
    );
    this.#store.executed.push({
      sql,
      variables,
      inTransaction: this.#transaction !== 0n,
      lockTimeOut: this.#lockTimeOut,
    });
    if (/\bdbo\.remembers\(\)/.test(sql)) this.#remembered = '1';
    await this.#send(response(sql, variables), out, 'doneInProc');
  }

  async #batch(sql: string, out: MessageWriter): Promise<void> {
    this.#lockTimeOut = /SET LOCK_TIMEOUT (\d+)/.exec(sql)?.[1] ?? this.#lockTimeOut;
    const open = this.#transaction === 0n ? 0 : 1;
    if (/BEGIN TRANSACTION/.test(sql)) return out.write(this.#begin());
    if (/SELECT @@TRANCOUNT/.test(sql)) {
      const [counted] = batchAnswers(`SELECT ${open} AS open_transactions`, '');
      if (counted !== undefined) await this.#send(counted, out, 'done');
    }
    if (/ROLLBACK TRANSACTION/.test(sql)) return out.write(this.#end('rolledBack'));
    if (/COMMIT TRANSACTION/.test(sql)) return out.write(this.#end('committed'));
    if (/@@TRANCOUNT/.test(sql)) return;
    for (const next of batchAnswers(sql.trim(), this.#login?.user ?? '')) await this.#send(next, out, 'done');
  }

  async #send(result: ApiResponse, out: MessageWriter, token: 'done' | 'doneInProc'): Promise<void> {
    if (result.adds !== undefined) this.#added.push(result.adds);
    const columns = result.columns ?? [];
    if (columns.length > 0) await out.write(columnMetadata(columns));
    if (result.ordered) await out.write(orderToken([1]));
    if (result.slow) await this.#attention.promise;
    const counted = result.count ? [[String(this.#store.log.length)]] : undefined;
    const rows = counted ?? (result.remembered ? [[this.#remembered]] : (result.rows ?? []));
    const bytes = new Bytes();
    let count = 0;
    try {
      for (const row of rows) {
        writeRow(bytes, columns, row);
        count++;
        if (bytes.length < batchBytes) continue;
        await out.write(bytes.take());
        await yieldTurn(); // an attention may have arrived
        if (this.#attended || this.#socket.destroyed) break;
      }
    } finally {
      if (bytes.length > 0) await out.write(bytes.take());
    }
    if (this.#attended || this.#socket.destroyed) throw new Interrupted();
    await out.write(done(doneStatus.more | doneStatus.count, result.adds === undefined ? count : 1, token));
    if (result.commits) await out.write(this.#end('committed'));
    if (result.next !== undefined) await this.#send(result.next, out, token);
  }

  #begin(): Buffer {
    this.#transaction = this.#store.nextTransaction++;
    return changed.begun(descriptor(this.#transaction));
  }

  #end(how: 'committed' | 'rolledBack'): Buffer {
    if (this.#transaction === 0n) return Buffer.alloc(0);
    if (how === 'committed') this.#store.log.push(...this.#added);
    this.#added = [];
    const ended = descriptor(this.#transaction);
    this.#transaction = 0n;
    return changed[how](ended);
  }

  #reset(): Buffer {
    this.#lockTimeOut = undefined;
    this.#remembered = null;
    this.#store.resets++;
    return Buffer.concat([this.#end('rolledBack'), changed.reset()]);
  }
}

/** The client has cancelled the request. */
class Interrupted extends Error {}

const wrongTransaction: SqlError = {
  number: 3989,
  message: 'New request is not allowed to start because it should come with valid transaction descriptor.',
};

const descriptor = (transaction: bigint): Buffer => new Bytes().i64(transaction).take();

/** `@p1 int, @p2 decimal(12,2)` */
const readDeclarations = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/(@\w+)\s+(\w+(?:\([\w,]+\))?)/g)].map(([, name = '', type = '']) => [name.toLowerCase(), type]));

const yieldTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
