import type { GuessLimit } from '../../access/guess-limit.ts';
import { type Passwords, passwordProblem } from '../../access/password.ts';
import { permissions as allPermissions } from '../../access/permission.ts';
import { has, type Principal } from '../../access/principal.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import type { SharedGuesses } from '../../pipeline/limits/guesses.ts';
import type { AdministrationParts, AuditNote } from '../change.ts';
import { isoTime } from '../iso-time.ts';
import { isAdministrator } from './grant-rules.ts';
import { databaseNames } from './user-view.ts';
import { passwordElsewhere } from './users.ts';

export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

export type Account = ReturnType<typeof createAccount>;

export interface AccountParts extends AdministrationParts {
  readonly passwords: Passwords;
  readonly guesses: GuessLimit;
  readonly sharedGuesses: SharedGuesses;
}

export function createAccount({ store, passwords, guesses, sharedGuesses, now }: AccountParts) {
  return {
    async get(actor: Principal) {
      const [databases, user] = await Promise.all([store.databases.listAll(), store.users.get(actor.userId)]);
      return succeeded(accountView(actor, databases, (user?.externalId ?? null) !== null));
    },
    /** Ends all sessions of the user, including the caller's. */
    async changePassword(
      actor: Principal,
      { currentPassword, newPassword }: PasswordChange,
      address: string,
      note: AuditNote,
    ): Promise<Result<null>> {
      note.parameters = { user: actor.username };
      const problem = passwordProblem(newPassword);
      if (problem !== null) return failed(fieldInvalid('newPassword', problem));
      if (newPassword === currentPassword) return failed(fieldInvalid('newPassword', 'It must differ from the current one.'));

      // otherwise an open session would allow guessing the password past the sign-in limit
      const elsewhere = await sharedGuesses.waitSeconds(actor.username, address, now());
      const wait = Math.max(elsewhere, guesses.waitSeconds(actor.username, address, now()));
      if (wait > 0) return failed({ kind: 'TooManyAttempts', retryAfterSeconds: wait });
      guesses.recordAttempt(actor.username, address, now());

      const verified = await store.users.get(actor.userId);
      if (verified !== null && verified.externalId !== null) return failed({ kind: 'StateConflict', reason: passwordElsewhere });
      if (verified === null || !(await passwords.verify(currentPassword, verified.passwordHash))) {
        await sharedGuesses.recordFailure(actor.username, address, now());
        return wrongPassword;
      }
      guesses.recordSuccess(actor.username, address);
      const passwordHash = await passwords.hash(newPassword);
      return store.transaction(async ({ users, sessions }) => {
        const user = await users.get(actor.userId);
        // an administrator may have set another one meanwhile
        if (user === null || user.passwordHash !== verified.passwordHash) return wrongPassword;
        await users.update({
          ...user,
          passwordHash,
          credentialVersion: user.credentialVersion + 1,
          version: user.version + 1,
        });
        await sessions.deleteForUser(user.id);
        return succeeded(null);
      });
    },
  };
}

const accountView = (actor: Principal, databases: readonly { id: string; name: string }[], external: boolean) => ({
  id: actor.userId,
  kind: actor.userKind,
  username: actor.username,
  fullName: actor.fullName,
  email: actor.email,
  roles: actor.roleNames,
  permissions: allPermissions.filter((permission) => has(actor, permission)),
  databases: databaseNames(actor.databaseScope, { databases }),
  attributes: actor.attributes,
  expiresAt: isoTime(actor.expiresAt),
  external, // signs in through OpenID Connect and has no password here
  canManageExecutions: isAdministrator(actor),
});

const wrongPassword = failed(fieldInvalid('currentPassword', 'This is not your current password.'));
