import { hash } from 'node:crypto';

/** Session ids, tokens, client secrets and API keys are random, so they are stored by a hash without salt. */
export const hashSecret = (secret: string): string => hash('sha256', secret);
