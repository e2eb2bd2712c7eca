import type { SentParameter } from '../../catalog/parameter.ts';
import type { SecretBox } from '../secret-box.ts';

/** An embed's parameters as stored: sealed, or a plain list if it is empty or was written before sealing was introduced. */
export type KeptParameters = string | readonly SentParameter[];

export type EmbedParameters = ReturnType<typeof createEmbedParameters>;

/** Seals an embed's parameter values at rest, bound to the embed's id so that they cannot be moved to another embed. */
export function createEmbedParameters(box: SecretBox) {
  return {
    seal: (embedId: string, parameters: readonly SentParameter[]): KeptParameters =>
      parameters.length === 0 ? [] : box.seal(JSON.stringify(parameters), context(embedId)),
    /** Null if they were sealed under a secret that no longer exists. */
    open({ id, parameters }: { readonly id: string; readonly parameters: KeptParameters }): readonly SentParameter[] | null {
      if (typeof parameters !== 'string') return parameters;
      const opened = box.open(parameters, context(id));
      return opened === null ? null : JSON.parse(opened);
    },
  };
}

const context = (embedId: string): string => `embed:${embedId}`;
