/**
 * The master secrets of an installation. The newest one seals and signs, all of them open and verify, so that secrets can be
 * rotated while the service runs.
 */
export interface KeyRing {
  /** Derives one object per secret. */
  each<T>(make: (secret: Buffer) => T): Rotating<T>;
}

export interface Rotating<T> {
  newest(): T;
  /** Newest first. */
  all(): readonly T[];
  /** The first result that is not null, newest secret first. If there is none, the secrets are reloaded and tried again. */
  find<R>(read: (each: T) => R | null): R | null;
}

/** Newest first, never empty; the same array until the secrets change. `now` reloads them without delay. */
export type SecretSource = (now?: 'now') => readonly Buffer[];

export function createKeyRing(readSecrets: SecretSource): KeyRing {
  return {
    each<T>(make: (secret: Buffer) => T): Rotating<T> {
      let secrets: readonly Buffer[] = [];
      let made: readonly T[] = [];
      const current = (now?: 'now'): readonly T[] => {
        const read = readSecrets(now);
        if (read !== secrets) [secrets, made] = [read, read.map(make)];
        return made;
      };
      return {
        newest: () => {
          const [first] = current();
          if (first === undefined) throw new Error('there is no secret');
          return first;
        },
        all: () => current('now'),
        find: (read) => {
          const tried = current();
          const result = findFirst(tried, read);
          if (result !== null) return result;
          const fresh = current('now');
          return fresh === tried ? null : findFirst(fresh, read);
        },
      };
    },
  };
}

function findFirst<T, R>(made: readonly T[], read: (each: T) => R | null): R | null {
  for (const each of made) {
    const result = read(each);
    if (result !== null) return result;
  }
  return null;
}
