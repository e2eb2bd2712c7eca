import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { auditSearchContract } from './audit-search.ts';
import { auditContract } from './audit.ts';
import { rememberedReadContract } from './cached-reads.ts';
import { databaseContract } from './databases.ts';
import { embedContract, linkContract } from './embeds.ts';
import { executionContract } from './executions.ts';
import { guessContract } from './guesses.ts';
import { keyContract } from './keys.ts';
import { dataFileContract, leaseContract } from './leases.ts';
import { oauthContract } from './oauth.ts';
import { openingContract } from './opening.ts';
import { principalContract } from './principals.ts';
import { queryContract } from './queries.ts';
import { queryCallerContract, queryDependantContract } from './query-callers.ts';
import { queryListContract } from './query-lists.ts';
import { queryUseContract } from './query-uses.ts';
import { roleContract } from './roles.ts';
import { sessionContract } from './sessions.ts';
import { settingContract } from './settings.ts';
import { transactionContract } from './transactions.ts';
import { userContract } from './users.ts';
import { viewerContract } from './viewers.ts';

export interface OpenedStore {
  readonly store: MetadataStore;
  /** Another store on the same data, closed with the next `empty` or `dispose`. */
  openAgain(): Promise<MetadataStore>;
  /** Runs a statement directly on the database. */
  execute(statement: string): Promise<void>;
  /** Deletes all rows, which takes a fraction of the time of another store. */
  empty(): Promise<void>;
  dispose(): Promise<void>;
}

/** The contract of every metadata store. `open` creates an empty one; `problem` is the reason why none is available. */
export function metadataStoreContract(name: string, open: () => Promise<OpenedStore>, problem: string | null = null): void {
  describe.skipIf(problem !== null)(`the metadata store on ${name}${problem === null ? '' : ` (${problem})`}`, () => {
    let opened: OpenedStore;
    const store = () => opened.store;

    describe('opening', () => {
      beforeEach(async () => {
        opened = await open();
      });
      afterEach(() => opened.dispose());
      openingContract(() => opened);
    });

    describe('once opened', () => {
      beforeAll(async () => {
        opened = await open();
      });
      afterEach(() => opened.empty());
      afterAll(() => opened.dispose());
      describe('transactions', () => transactionContract(() => opened));
      describe('users', () => userContract(store));
      describe('sign-in from AI applications', () => oauthContract(() => opened));
      describe('roles', () => roleContract(store));
      describe('principals', () => principalContract(store));
      describe('remembered reads', () => rememberedReadContract(() => opened));
      describe('viewers', () => viewerContract(() => opened));
      describe('API keys', () => keyContract(() => opened));
      describe('sessions', () => sessionContract(store));
      describe('embeds', () => embedContract(() => opened));
      describe('data links', () => linkContract(() => opened));
      describe('databases', () => databaseContract(store));
      describe('queries', () => queryContract(store));
      describe('query lists', () => queryListContract(store));
      describe('query uses', () => queryUseContract(() => opened));
      describe('audit', () => auditContract(store));
      describe('callers of a query', () => queryCallerContract(store));
      describe('dependants of a query', () => queryDependantContract(store));
      describe('audit search', () => auditSearchContract(() => opened));
      describe('executions', () => executionContract(store));
      describe('leases', () => leaseContract(() => opened));
      describe('data files', () => dataFileContract(() => opened));
      describe('guesses', () => guessContract(store));
      describe('settings', () => settingContract(store));
    });
  });
}
