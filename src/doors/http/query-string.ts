import type { FastifyRequest } from 'fastify';

export type QueryString = ReadonlyMap<string, unknown>; // text, or a list if a name is repeated

export const queryStringOf = ({ query }: FastifyRequest): QueryString =>
  new Map(typeof query === 'object' && query !== null ? Object.entries(query) : []);
