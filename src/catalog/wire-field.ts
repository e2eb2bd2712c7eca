import { z } from 'zod';

/** A field in both directions: the schema of what callers send, and the schema of what responses contain. */
export interface WireField<Sent extends z.ZodType = z.ZodType, Shown extends z.ZodType = z.ZodType> {
  readonly sent: Sent;
  readonly shown: Shown;
}

type WireFields = Readonly<Record<string, WireField>>;

/** The shape of an object in requests. */
export function sentShape<Fields extends WireFields>(fields: Fields): { [K in keyof Fields]: Fields[K]['sent'] };
export function sentShape(fields: WireFields): z.core.$ZodLooseShape {
  return Object.fromEntries(Object.entries(fields).map(([name, { sent }]) => [name, sent]));
}

/** The shape of an object in responses. */
export function shownShape<Fields extends WireFields>(fields: Fields): { [K in keyof Fields]: Fields[K]['shown'] };
export function shownShape(fields: WireFields): z.core.$ZodLooseShape {
  return Object.fromEntries(Object.entries(fields).map(([name, { shown }]) => [name, shown]));
}

/** Like `partial()`, but an optional field is never undefined. */
export function exactPartial<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): { [K in keyof Shape]: z.ZodExactOptional<Shape[K]> };
export function exactPartial(shape: z.core.$ZodLooseShape): z.core.$ZodLooseShape {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, z.exactOptional(schema)]));
}

/** Text for the store: PostgreSQL does not accept NUL. */
export const text = (max: number) =>
  z
    .string()
    .max(max, `Expected at most ${max} characters.`)
    .refine((value) => !value.includes('\0'), 'Expected text without NUL characters.');

const SQL_BYTES = 100 << 10;

export const sqlText = z
  .string()
  .refine((sql) => Buffer.byteLength(sql) <= SQL_BYTES, `Expected at most ${SQL_BYTES >> 10} KiB.`)
  .refine((sql) => !sql.includes('\0'), 'Expected text without NUL characters.');

export const wholeNumber = (from: number, to: number) => {
  const expected = `Expected a whole number from ${from} to ${to}.`;
  return z.number(expected).int(expected).min(from, expected).max(to, expected);
};

/** An optional field of a change: null clears it, undefined leaves it unchanged. */
export const clearable = <T extends z.ZodType>(schema: T, empty: z.output<T>) =>
  schema.nullish().transform((value) => (value === null ? empty : value));

/** A field that may be left out or null; responses leave it out. */
export const optional = <Sent extends z.ZodType, Shown extends z.ZodType>(sent: Sent, shown: Shown, description?: string) => ({
  sent: describeSchema(
    sent.nullish().transform((value) => value ?? undefined),
    description,
  ),
  shown: shown.exactOptional(),
});

/** Empty text counts as left out. */
export const optionalText = (max: number, description?: string) => ({
  sent: describeSchema(
    text(max)
      .nullish()
      .transform((value) => value || undefined),
    description,
  ),
  shown: z.string().exactOptional(),
});

/** False counts as left out. */
export const optionalFlag = (description: string) => ({
  sent: z
    .boolean()
    .nullish()
    .transform((value) => value || undefined)
    .describe(description),
  shown: z.boolean().exactOptional(),
});

const describeSchema = <T extends z.ZodType>(schema: T, description: string | undefined): T =>
  description === undefined ? schema : schema.describe(description);
