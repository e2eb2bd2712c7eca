import { z } from 'zod';
import type { SettingField } from '../catalog/engine.ts';

const fields = z.registry<Omit<SettingField, 'name'>>();

/** Gives a setting a field in the form of a connection. */
export function withField<Schema extends z.ZodType>(schema: Schema, field: Omit<SettingField, 'name'>): Schema {
  fields.add(schema, field);
  return schema;
}

/** The fields of the settings that have one, in their order. */
export const fieldsOf = (shape: Readonly<Record<string, z.ZodType>>): readonly SettingField[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const field = fields.get(schema);
    return field === undefined ? [] : { name, ...field };
  });
