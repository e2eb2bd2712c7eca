import { afterEach, beforeEach, describe } from 'vitest';
import type { MetadataStore } from '../../src/store/metadata-store.ts';
import { auditContract } from './metadata-store/audit.ts';
import { databaseContract } from './metadata-store/databases.ts';
import { embedContract } from './metadata-store/embeds.ts';
import { executionContract } from './metadata-store/executions.ts';
import { guessContract } from './metadata-store/guesses.ts';
import { keyContract } from './metadata-store/keys.ts';
import { leaseContract } from './metadata-store/leases.ts';
import { openingContract } from './metadata-store/opening.ts';
import { principalContract } from './metadata-store/principals.ts';
import { queryContract } from './metadata-store/queries.ts';
import { queryListContract } from './metadata-store/query-lists.ts';
import { rememberedReadContract } from './metadata-store/remembered-reads.ts';
import { roleContract } from './metadata-store/roles.ts';
import { sessionContract } from './metadata-store/sessions.ts';
import { settingContract } from './metadata-store/settings.ts';
import { transactionContract } from './metadata-store/transactions.ts';
import { userContract } from './metadata-store/users.ts';

export interface OpenedStore {
  readonly store: MetadataStore;
  /** Another store on the same data, which `dispose` closes too. */
  openAgain(): Promise<MetadataStore>;
  /** Straight on the data, past the store. */
  execute(statement: string): Promise<void>;
  dispose(): Promise<void>;
}

/** What every metadata store keeps to. `open` makes a new, empty one; `problem` is why there is none to be had. */
export function metadataStoreContract(name: string, open: () => Promise<OpenedStore>, problem: string | null = null): void {
  describe.skipIf(problem !== null)(`the metadata store on ${name}${problem === null ? '' : ` (${problem})`}`, () => {
    let opened: OpenedStore;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.dispose());

    const store = () => opened.store;
    describe('opening', () => openingContract(() => opened));
    describe('transactions', () => transactionContract(() => opened));
    describe('users', () => userContract(store));
    describe('roles', () => roleContract(store));
    describe('principals', () => principalContract(store));
    describe('remembered reads', () => rememberedReadContract(() => opened));
    describe('API keys', () => keyContract(() => opened));
    describe('sessions', () => sessionContract(store));
    describe('embeds', () => embedContract(() => opened));
    describe('databases', () => databaseContract(store));
    describe('queries', () => queryContract(store));
    describe('query lists', () => queryListContract(store));
    describe('audit', () => auditContract(store));
    describe('executions', () => executionContract(store));
    describe('leases', () => leaseContract(() => opened));
    describe('guesses', () => guessContract(store));
    describe('settings', () => settingContract(store));
  });
}
