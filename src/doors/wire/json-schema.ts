import { definedFields } from '../../core/defined-fields.ts';

/** The subset of JSON Schema that tools need: no unions except with null, no references. Not an interface, because it is sent as a record. */
export type JsonSchema = {
  readonly type?: string | readonly string[]; // left out: any
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean)[];
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
};

/** An object whose properties are all required. */
export const objectOf = (properties: Readonly<Record<string, JsonSchema>>, description?: string): JsonSchema => ({
  type: 'object',
  ...definedFields({ description }),
  properties,
  required: Object.keys(properties),
});

export const listOf = (items: JsonSchema, description?: string): JsonSchema => ({
  type: 'array',
  ...definedFields({ description }),
  items,
});

/** For fields that another tool describes already: a list of tools takes up space in every conversation. */
export function withoutDescriptions({ description: _, items, properties, ...rest }: JsonSchema): JsonSchema {
  const plain = Object.entries(properties ?? {}).map(([name, each]) => [name, withoutDescriptions(each)] as const);
  return {
    ...rest,
    ...(items && { items: withoutDescriptions(items) }),
    ...(properties && { properties: Object.fromEntries(plain) }),
  };
}

export const string = (description: string): JsonSchema => ({ type: 'string', description });
export const stringOrNull = (description: string): JsonSchema => ({ type: ['string', 'null'], description });
export const integer = (description: string): JsonSchema => ({ type: 'integer', description });
export const boolean = (description: string): JsonSchema => ({ type: 'boolean', description });
