import type { Logger } from 'pino';
import { createCredentialMemory } from '../access/credential-memory.ts';
import { createGuessLimit } from '../access/guess-limit.ts';
import { createPasswords } from '../access/password.ts';
import { createSecretBox } from '../access/secret-box.ts';
import { createViewerTokens } from '../access/viewer-tokens.ts';
import { createRuntimeSettings } from '../administration/settings.ts';
import type { Config } from '../config/config.ts';
import { createFetchDocument } from '../operations/fetch-document.ts';
import { createFetchedKeys } from '../operations/fetched-keys.ts';
import { createBatchedUses } from '../pipeline/batched-uses.ts';
import { createGuessDelay, createSharedGuesses } from '../pipeline/limits/guesses.ts';
import { createAuthenticate } from '../pipeline/steps/authenticate.ts';
import type { Storage } from './storage.ts';

export type Access = Awaited<ReturnType<typeof composeAccess>>;

/** The settings in effect, and authentication by password, session, key and viewer token. */
export async function composeAccess(config: Config, { folder, store, sharedStore }: Storage, log: Logger, now: () => number) {
  const settings = createRuntimeSettings({ config, store });
  await settings.reload();
  const passwords = createPasswords();
  const keyUses = createBatchedUses(store.apiKeys.touch, now);
  const guesses = createGuessLimit();
  const sharedGuesses = createSharedGuesses(sharedStore);
  const viewerUses = createBatchedUses(
    (batch) =>
      store.viewers.noteUses(
        batch.map(({ id, ...use }) => ({ ...use, userId: id.split(' ', 1)[0] ?? '', sub: id.slice(id.indexOf(' ') + 1) })),
      ),
    now,
  );
  const grantUses = createBatchedUses(store.oauth.touchGrants, now);
  const service = { url: config.baseUrl ?? '' }; // final once the port is known
  const signingSecrets = createSecretBox(folder.keys, 'signing secrets');
  const viewerTokens = createViewerTokens({
    secrets: signingSecrets,
    fetchKeys: createFetchedKeys(createFetchDocument(config.oauthPrivateHosts), now, (uri, err) =>
      log.warn({ err, uri }, 'The keys of an application could not be read'),
    ),
    audience: () => service.url,
    now,
  });
  const authenticate = createAuthenticate({
    store,
    passwords,
    memory: createCredentialMemory(),
    guesses,
    sharedGuesses,
    guessDelay: createGuessDelay(),
    viewerTokens,
    keyUsed: keyUses.note,
    viewerUsed: viewerUses.note,
    grantUsed: grantUses.note,
    now,
  });
  return { settings, passwords, keyUses, viewerUses, grantUses, service, signingSecrets, guesses, sharedGuesses, authenticate };
}
