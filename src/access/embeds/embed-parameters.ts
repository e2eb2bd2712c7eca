import type { SentParameter } from '../../catalog/parameter.ts';
import type { SecretBox } from '../secret-box.ts';

/** What an embed binds, as it lies in the store: sealed; plain where there is nothing to seal, or from before it was. */
export type KeptParameters = string | readonly SentParameter[];

/** The values that an embed binds are sealed at rest and bound to their embed, so that they open nowhere else. */
export interface EmbedParameters {
  seal(embedId: string, parameters: readonly SentParameter[]): KeptParameters;
  /** Null when they were sealed under a secret that is gone. */
  open(embed: { readonly id: string; readonly parameters: KeptParameters }): readonly SentParameter[] | null;
}

export function createEmbedParameters(box: SecretBox): EmbedParameters {
  return {
    seal: (embedId, parameters) => (parameters.length === 0 ? [] : box.seal(JSON.stringify(parameters), context(embedId))),
    open: ({ id, parameters }) => {
      if (typeof parameters !== 'string') return parameters;
      const opened = box.open(parameters, context(id));
      return opened === null ? null : JSON.parse(opened);
    },
  };
}

const context = (embedId: string): string => `embed:${embedId}`;
