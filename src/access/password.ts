import { availableParallelism } from 'node:os';
import { hash as argonHash, verify as argonVerify } from '@node-rs/argon2';

export const PASSWORD_MIN_LENGTH = 12;
const PASSWORD_MAX_LENGTH = 1024;

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes as long for an unknown user (null) as for a known one. */
  verify(password: string, hash: string | null): Promise<boolean>;
}

/** Argon2id (the library's default variant) at OWASP's parameters; only so many at once, since each takes a core and 19 MiB. */
export function createPasswords(atOnce = Math.min(2, availableParallelism())): Passwords {
  const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
  const turn = createTurns(atOnce);
  let dummy: Promise<string> | null = null;
  return {
    hash: (password) => turn(() => argonHash(password, options)),
    verify: async (password, hash) => {
      dummy ??= argonHash('a password that nobody has', options);
      const against = hash ?? (await dummy);
      const matches = await turn(() => argonVerify(against, password));
      return matches && hash !== null;
    },
  };
}

/** What is wrong with a new password, for the person who chose it. */
export function passwordProblem(password: string, username: string): string | null {
  if ([...password].length < PASSWORD_MIN_LENGTH) return `A password has at least ${PASSWORD_MIN_LENGTH} characters.`;
  if (password.length > PASSWORD_MAX_LENGTH) return `A password has at most ${PASSWORD_MAX_LENGTH} characters.`;
  if (password.toLowerCase().includes(username.toLowerCase()) && username.length >= 4)
    return 'A password does not contain the user name.';
  if (new Set(password).size < 4) return 'A password has at least four different characters.';
  return null;
}

function createTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await work();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}
