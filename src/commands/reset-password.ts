import { createPasswords } from '../access/password.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { commandEntry } from '../operations/command-entry.ts';
import { ADMIN, generatePassword } from '../operations/first-start.ts';
import { withStore } from './command-store.ts';

/** Resets a lost password; requires access to the data folder. Ends the account's sessions and works while the service runs. */
export async function resetPassword(config: Config, name = ADMIN): Promise<void> {
  await withStore(config, async (store) => {
    const password = generatePassword();
    const passwordHash = await createPasswords().hash(password);
    const username = await store.transaction(async ({ principals, users, sessions, audit }) => {
      const found = await principals.byUsername(name);
      if (found === null) return null;
      const { user } = found;
      if (user.externalId !== null)
        throw new ConfigError(`${user.username} signs in through OpenID Connect and has no password here`);
      if (user.kind === 'application') throw new ConfigError(`${user.username} is an application and has no password`);
      await users.update({ ...user, passwordHash, credentialVersion: user.credentialVersion + 1, version: user.version + 1 });
      await sessions.deleteForUser(user.id);
      await audit.append([commandEntry('user.reset-password', { user: user.username })]);
      return user.username;
    });
    if (username === null) throw new ConfigError(`there is no user ${name}`);
    process.stdout.write(`${username} password: ${password}\n`);
  });
}
