import { z } from 'zod';
import type { FieldList, From } from '../input/fields.ts';

/** Where the OpenAPI document lists a field; it may be accepted in further places. */
const places: Readonly<Record<From, readonly From[]>> = { body: ['body'], query: ['query'], header: ['body', 'header'] };

/** The schema of one part of a request, by its fields. In a body, null counts as absent. */
export function requestSchema(fields: FieldList, place: From): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, { openApi, description, required, from }] of Object.entries(fields)) {
    if (openApi === undefined || !places[from].includes(place)) continue;
    const schema = required ? openApi : place === 'body' ? openApi.nullish() : openApi.optional();
    shape[name] = description === undefined ? schema : schema.describe(description);
  }
  return z.object(shape);
}
