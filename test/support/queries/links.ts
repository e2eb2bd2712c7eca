import { type Caller, expectStatus } from '../services/service.ts';

export interface DataLink {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly format: string;
  readonly open: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly expiresInDays: number | null;
  readonly expiresAt: string | null;
  readonly views: number;
  readonly lastUsedAt: string | null;
}

export const createLink = (caller: Caller, body: Readonly<Record<string, unknown>>) =>
  caller.call<DataLink>('POST', '/api/v1/links', { name: 'A link', format: 'csv', ...body });

export const linkOf = async (caller: Caller, body: Readonly<Record<string, unknown>>): Promise<DataLink> =>
  (await expectStatus(createLink(caller, body), 201)).json;

/** The path of a link below the address of the service. */
export const pathOf = ({ url }: Pick<DataLink, 'url'>): string => new URL(url).pathname;
