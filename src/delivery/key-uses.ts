import type { ApiKeyRepository } from '../store/metadata-store.ts';

/** When keys were last used: gathered in memory and written now and then, since a write a call would cost more than the call. */
export interface KeyUses {
  note(keyId: string): void;
  flush(): Promise<void>;
}

export function createKeyUses(apiKeys: Pick<ApiKeyRepository, 'touch'>, now: () => number): KeyUses {
  const uses = new Map<string, number>();
  return {
    note: (keyId) => {
      uses.set(keyId, now());
    },
    flush: async () => {
      if (uses.size === 0) return;
      const batch = [...uses].map(([id, at]) => ({ id, at }));
      uses.clear();
      try {
        await apiKeys.touch(batch);
      } catch (error) {
        // for the next turn, unless the key was used again meanwhile
        for (const { id, at } of batch) if (!uses.has(id)) uses.set(id, at);
        throw error;
      }
    },
  };
}
