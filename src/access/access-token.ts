import { hash } from 'node:crypto';

/** Tokens of the authorization server are random and stored by their hash only. */
export const accessTokenHash = (token: string): string => hash('sha256', token);
