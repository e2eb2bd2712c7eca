import { createCredentialMemory } from '../access/credential-memory.ts';
import { createGuessLimit } from '../access/guess-limit.ts';
import { createPasswords } from '../access/password.ts';
import { createRuntimeSettings } from '../administration/settings.ts';
import type { Config } from '../config/config.ts';
import { createBatchedUses } from '../pipeline/batched-uses.ts';
import { createGuessDelay, createSharedGuesses } from '../pipeline/limits/guesses.ts';
import { createAuthenticate } from '../pipeline/steps/authenticate.ts';
import type { Storage } from './storage.ts';

export type Access = Awaited<ReturnType<typeof composeAccess>>;

/** The settings in effect, and authentication by password, session and key. */
export async function composeAccess(config: Config, { store, sharedStore }: Storage, now: () => number) {
  const settings = createRuntimeSettings({ config, store });
  await settings.reload();
  const passwords = createPasswords();
  const keyUses = createBatchedUses(store.apiKeys.touch, now);
  const guesses = createGuessLimit();
  const sharedGuesses = createSharedGuesses(sharedStore);
  const authenticate = createAuthenticate({
    store,
    passwords,
    memory: createCredentialMemory(),
    guesses,
    sharedGuesses,
    guessDelay: createGuessDelay(),
    keyUsed: keyUses.note,
    now,
  });
  return { settings, passwords, keyUses, guesses, sharedGuesses, authenticate };
}
