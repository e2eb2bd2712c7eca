/** A form field for an argument of a tool. */
export interface ToolField {
  readonly name: string;
  readonly type: string; // for display: integer, 1 to 200
  readonly description: string;
  readonly isRequired: boolean;
  readonly input: 'text' | 'whole' | 'choice' | 'rows';
  readonly choices: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly columns: readonly ToolField[]; // of rows
}

export type FieldRow = Readonly<Record<string, string>>;
export type FieldValues = Readonly<Record<string, string | readonly FieldRow[] | undefined>>;

/** The arguments in an input schema, except the key. */
export const toolFields = (schema: unknown): readonly ToolField[] => fieldsOf(schema).filter(({ name }) => name !== KEY_ARGUMENT);

const KEY_ARGUMENT = 'apiKey';

function fieldsOf(schema: unknown): readonly ToolField[] {
  const { properties, required } = objectOf(schema);
  const names = Array.isArray(required) ? required : [];
  return Object.entries(objectOf(properties)).map(([name, property]) => fieldOf(name, objectOf(property), names.includes(name)));
}

function fieldOf(name: string, property: Readonly<Record<string, unknown>>, isRequired: boolean): ToolField {
  const { type, description, enum: allowed, minimum, maximum, items } = property;
  const choices = Array.isArray(allowed) ? allowed.map(String) : [];
  const columns = type === 'array' ? fieldsOf(items) : [];
  return {
    name,
    type: typeText(String(type), choices, minimum, maximum),
    description: typeof description === 'string' ? description : '',
    isRequired,
    input: columns.length > 0 ? 'rows' : choices.length > 0 ? 'choice' : type === 'integer' ? 'whole' : 'text',
    choices,
    columns,
    ...(typeof minimum === 'number' ? { minimum } : {}),
    ...(typeof maximum === 'number' ? { maximum } : {}),
  };
}

function typeText(type: string, choices: readonly string[], minimum: unknown, maximum: unknown): string {
  if (choices.length > 0) return choices.join(', ');
  if (minimum === undefined) return type;
  return maximum === undefined ? `${type}, at least ${minimum}` : `${type}, ${minimum} to ${maximum}`;
}

/** The arguments to send, without empty fields. */
export function argumentsOf(fields: readonly ToolField[], values: FieldValues): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const sent = toSentValue(field, values[field.name]);
      return sent === undefined ? [] : [[field.name, sent]];
    }),
  );
}

function toSentValue({ input, columns }: ToolField, value: FieldValues[string]): unknown {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return input === 'whole' ? Number(value) : value;
  const [key] = columns; // a row without its first column is empty
  const rows = value.filter((row) => (row[key?.name ?? ''] ?? '') !== '').map((row) => rowOf(columns, row));
  return rows.length === 0 ? undefined : rows;
}

const rowOf = (columns: readonly ToolField[], row: FieldRow): FieldRow =>
  Object.fromEntries(
    columns.flatMap(({ name, isRequired }) => {
      const cell = row[name] ?? '';
      return cell === '' && !isRequired ? [] : [[name, cell]];
    }),
  );

/** The error for each required field without a value. */
export const findMissingFields = (fields: readonly ToolField[], values: FieldValues): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fields
      .filter(({ name, isRequired }) => isRequired && (values[name] ?? '').length === 0)
      .map(({ name }) => [name, 'A value is required.']),
  );

export const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
