import { z } from 'zod';
import { filledFields } from '../../core/defined-fields.ts';
import type { ListRequest } from '../../store/metadata-store.ts';

const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 50;

/** Text of a query string that is passed to the store: PostgreSQL does not accept NUL. */
export const filterText = z
  .string('Expected a single text.')
  .max(2000, 'Expected at most 2000 characters.')
  .refine((text) => !text.includes('\0'), 'Expected text without NUL characters.');

/** A number in a query string, from 1. */
export function countUpTo(max: number, what = 'whole number') {
  const problem = `Expected a ${what} from 1 to ${max}.`;
  return z.coerce.number(problem).int(problem).min(1, problem).max(max, problem);
}

/** The fields of a page request, for schemas of lists with more filters. */
export const pageFields = {
  limit: countUpTo(MAX_LIMIT).default(DEFAULT_LIMIT).describe(`Items of a page, 1 to ${MAX_LIMIT}.`),
  cursor: filterText.optional().describe('`nextCursor` of the previous page.'),
};

/** The query string of every list: `limit`, `cursor`, `search`. */
export const listQuery = z.object({
  ...pageFields,
  search: filterText.optional().describe('Part of the name, ignoring case.'),
});
export type ListQuery = z.output<typeof listQuery>;

export const listRequest = ({ limit, cursor, search }: ListQuery): ListRequest => ({
  limit,
  ...filledFields({ cursor, search }),
});

/** The response schema of a list, named after that of its items. */
export const listResponse = <T extends z.ZodType>(item: T) =>
  z
    .object({
      items: z.array(item).readonly(),
      nextCursor: z.string().nullable().describe('Send it as `cursor` for the next page; null on the last one.'),
    })
    .meta({ id: `${item.meta()?.id}List` });

/** An id in the path. Accepts any text: an unknown id is not found. */
export const pathId = z
  .string()
  .transform((id) => id.replaceAll('\0', '\uFFFD'))
  .describe('The id of the resource.');
export const idParams = z.object({ id: pathId });

export const texts = z.array(z.string()).readonly();

export const time = z.string().describe('ISO 8601, UTC: `2026-11-15T10:00:00.000Z`.');
export const timeOrNever = time.nullable();
