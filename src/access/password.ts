import { availableParallelism } from 'node:os';
import { hash as argonHash, verify as argonVerify } from '@node-rs/argon2';
import { Semaphore } from '../core/concurrency/semaphore.ts';

const PASSWORD_MIN_LENGTH = 12;
const PASSWORD_MAX_LENGTH = 1024;

export type Passwords = ReturnType<typeof createPasswords>;

const MAX_QUEUE = 64;
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
// of a random password, with the same options
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$jRhmIGb4/jYbRrcpkDykLg$QpILG2Tks8QHWXfcbkaKJRauxlA2JMw4h9c/DtiDc2c';

/** Argon2id with OWASP's parameters. Concurrency is bounded because each hash takes a core and 19 MiB. */
export function createPasswords(atOnce = Math.min(2, availableParallelism())) {
  const semaphore = new Semaphore(atOnce);
  const runBounded = async <T>(work: () => Promise<T>): Promise<T> => {
    await semaphore.acquire().granted;
    try {
      return await work();
    } finally {
      semaphore.release();
    }
  };
  return {
    hash: (password: string): Promise<string> => runBounded(() => argonHash(canonicalize(password), OPTIONS)),
    /** Takes as long for an unknown user (null) as for a known one. */
    async verify(password: string, hash: string | null): Promise<boolean> {
      const matches = await runBounded(() => argonVerify(hash ?? DUMMY_HASH, canonicalize(password)));
      return matches && hash !== null;
    },
    /** True if the queue is full and further callers should retry later. */
    isBusy: (): boolean => semaphore.waiting >= MAX_QUEUE,
  };
}

// cut first, because callers may send any length; a password that is too long is still too long then
// NFC, because keyboards and systems encode the same ö in two ways
const canonicalize = (password: string): string => password.slice(0, PASSWORD_MAX_LENGTH + 1).normalize('NFC');

/** Why a new password is not accepted, for the person who chose it. */
export function passwordProblem(password: string): string | null {
  if ([...password].length < PASSWORD_MIN_LENGTH) return `A password has at least ${PASSWORD_MIN_LENGTH} characters.`;
  if (password.length > PASSWORD_MAX_LENGTH) return `A password has at most ${PASSWORD_MAX_LENGTH} characters.`;
  return null;
}
