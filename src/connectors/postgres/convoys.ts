import { ActiveSet } from '../../active-set.ts';
import type { SessionPool } from '../session-pool.ts';
import { Watch } from '../watch.ts';
import { Convoy, type Ride } from './convoy.ts';
import type { RenderedSql } from './parameters.ts';
import { keptSelect, prepareSelect } from './prepare.ts';
import { QuickStatements } from './quick-statements.ts';
import { patienceMs, type Session } from './session.ts';
import type { Types } from './types.ts';

const patrolMs = 50;
const mostMeetings = 2;

/**
 * Runs of the same turn of the event loop whose statements are known to be quick share a connection: their messages leave in one write and
 * are answered in one, which costs both sides a fraction of what each alone would. Whoever is not there soon, or breaks, goes alone.
 */
export class Convoys {
  readonly quick = new QuickStatements();
  readonly #pool: SessionPool<Session>;
  readonly #types: Types;
  readonly #underWay = new ActiveSet<Convoy>();
  #gathering: Convoy | undefined;
  #patrol: NodeJS.Timeout | undefined;

  constructor(pool: SessionPool<Session>, types: Types) {
    this.#pool = pool;
    this.#types = types;
  }

  /** Undefined at once where it has to go alone. */
  join(main: RenderedSql, timeoutMs: number, signal: AbortSignal): Promise<Ride> | undefined {
    if (signal.aborted || !this.quick.has(main.key.select)) return undefined;
    let convoy = this.#gathering;
    if (convoy === undefined || convoy.isFull || convoy.timeoutMs !== timeoutMs) {
      convoy = this.#gather(timeoutMs);
      this.#gathering = convoy;
    }
    return convoy.join(main, signal);
  }

  #gather(timeoutMs: number): Convoy {
    const convoy = new Convoy(timeoutMs);
    this.#underWay.add(convoy);
    this.#patrol ??= setInterval(() => this.#look(), patrolMs).unref();
    setImmediate(() => void this.#travel(convoy)); // behind the calls that came in the same turn
    return convoy;
  }

  async #travel(convoy: Convoy): Promise<void> {
    if (this.#gathering === convoy) this.#gathering = undefined;
    const watch = new Watch(new AbortController().signal, convoy.timeoutMs); // whoever leaves does so by himself
    watch.onStop = () => convoy.disperse();
    try {
      const lent = this.#pool.lend(watch);
      const session = lent instanceof Promise ? await lent : lent;
      if (!convoy.isDispersed) await this.#exchange(convoy, session);
      this.#pool.takeBack(session, watch);
    } catch {
      convoy.disperse(); // there is no connection: whoever goes alone is told why
    } finally {
      this.#underWay.remove(convoy);
    }
  }

  async #exchange(convoy: Convoy, session: Session): Promise<void> {
    session.boundStatements(convoy.timeoutMs + patienceMs);
    const unknown: RenderedSql[] = [];
    const messages = convoy.depart((main) => {
      const prepared = keptSelect(session, main);
      if (prepared === undefined) unknown.push(main);
      return prepared;
    });
    if (messages !== undefined) {
      session.wire.stream(messages, convoy);
      await convoy.over;
    }
    if (convoy.isDispersed) {
      if (convoy.hasOtherRows) session.report();
      for (const { key } of convoy.statements) this.quick.forget(key.select);
      await (convoy.isAnswered ? session.reset() : session.cancel(convoy.answered));
    }
    await Promise.allSettled(unknown.map((main) => prepareSelect(session, this.#types, main))); // for those who come next
  }

  /** What is not back by the second time belongs to no convoy. */
  #look(): void {
    if (this.#underWay.size === 0) {
      clearInterval(this.#patrol);
      this.#patrol = undefined;
    }
    for (const convoy of this.#underWay.list()) {
      if (++convoy.met <= mostMeetings) continue;
      setImmediate(() => this.#underWay.has(convoy) && convoy.disperse()); // it may have been our own turn that was long
    }
  }
}
