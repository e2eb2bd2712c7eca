import { networkOf } from '../../access/address-network.ts';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import type { AuditLog } from '../steps/audit-call.ts';

const WINDOW_MS = 60_000;
const ENTRIES_PER_ADDRESS = 20;
const ENTRIES_IN_ALL = 500;
const ADDRESSES = 200;

export interface UnknownCallersParts {
  readonly log: AuditLog;
  readonly now: () => number;
  /** False if the rest of the disk is reserved for the entries of authenticated calls. */
  readonly hasRoom: () => boolean;
  /** For the log, once a minute: how many calls were counted, and whether the counts are in the audit trail. */
  readonly onCounted: (calls: number, recorded: boolean) => void;
}

export interface UnknownCallers extends AuditLog {
  /** Writes the counts of the last minute if it is over. */
  sweep(): Promise<void>;
}

interface Group {
  first: AuditEntry;
  last: AuditEntry;
  written: number;
  counted: number;
}

/**
 * Bounds what callers without a valid credential can write to the audit trail. The first calls of an address (and owner, if the credential
 * was valid once) in a minute have an entry each; further calls are counted, and one entry at the end of the minute has the count. Beyond a
 * number of entries or addresses calls are only counted, and one entry has the count of all other addresses.
 */
export function createUnknownCallers({ log, now, hasRoom, onCounted }: UnknownCallersParts): UnknownCallers {
  let groups = new Map<string, Group>();
  let others: Group | null = null; // of addresses that have no group
  let windowAt = now();
  let written = 0;

  const isOver = (): boolean => now() - windowAt >= WINDOW_MS || now() < windowAt;

  async function writeCounts(): Promise<void> {
    const entries = [...groups.values()].filter((group) => group.counted > 0).map(countOf);
    let calls = [...groups.values()].reduce((sum, group) => sum + group.counted, 0);
    if (others !== null) {
      entries.push(countOfOthers(others));
      calls += others.counted;
    }
    groups = new Map();
    others = null;
    windowAt = now();
    written = 0;
    if (calls === 0) return;
    const recorded = hasRoom();
    onCounted(calls, recorded);
    if (recorded) await Promise.all(entries.map((entry) => log.append(entry)));
  }

  function groupOf(entry: AuditEntry): Group {
    const key = `${networkOf(entry.address)} ${entry.userId ?? ''}`;
    const known = groups.get(key) ?? (groups.size < ADDRESSES ? undefined : others);
    if (known) return known;
    const group = { first: entry, last: entry, written: 0, counted: 0 };
    if (groups.size < ADDRESSES) groups.set(key, group);
    else others = group;
    return group;
  }

  /** Adds the call to its group. Returns whether it gets its own entry; otherwise it is only counted. */
  function addCall(entry: AuditEntry): boolean {
    const group = groupOf(entry);
    if (group !== others && group.written < ENTRIES_PER_ADDRESS && written < ENTRIES_IN_ALL && hasRoom()) {
      group.written++;
      written++;
      return true;
    }
    if (group.counted++ === 0) group.first = entry;
    group.last = entry;
    return false;
  }

  return {
    append: async (entry) => {
      // not awaited: the call need not wait until the counts are written
      if (isOver()) void writeCounts().catch(() => undefined);
      if (addCall(entry)) await log.append(entry);
    },
    sweep: async () => (isOver() ? writeCounts() : undefined),
    flush: async () => {
      await writeCounts().catch(() => undefined);
      await log.flush();
    },
  };
}

const countOf = ({ first, last, counted }: Group): AuditEntry => ({
  ...last,
  at: first.at,
  user: last.userId === null ? null : last.user,
  action: 'calls.refused',
  query: null,
  queryVersion: null,
  parameters: { calls: counted, until: new Date(last.at).toISOString() },
  rows: null,
  bytes: null,
  durationMs: Math.max(0, last.at - first.at),
  address: networkOf(last.address),
  client: null,
});

const countOfOthers = (group: Group): AuditEntry => ({
  ...countOf(group),
  userId: null,
  user: null,
  apiKey: null,
  address: 'other addresses',
});
