import { z } from 'zod';
import { type FieldProblem, failed, inputRefused, missingFieldProblem, type Result, succeeded } from '../../core/errors.ts';
import { isObject, type NameTable, nameTable, repeatedFieldProblem, reportUnknown } from './fields.ts';

/**
 * Parses a value by its schema. Names of fields and words of enumerations ignore case. Unknown fields are refused, except those
 * of `resource`: a caller that writes back what it has read sends its read-only fields, too, and they are ignored. Loose objects keep them.
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, resource?: z.ZodType | null): Result<T> {
  const problems: FieldProblem[] = [];
  const misspelled: string[] = [];
  const readOnly = resource == null ? undefined : shapeOf(resource)?.table;
  const named = withDeclaredNames(shapeOf(schema), value, '', { problems, misspelled, readOnly });
  const result = schema.safeParse(named, { error: toPlainMessage, reportInput: true });
  if (result.success) return problems.length === 0 ? succeeded(result.data) : failed(inputRefused(problems));
  for (const issue of result.error.issues.flatMap(findIssues)) {
    const field = issue.path.join('.');
    const isMissing = issue.code === 'invalid_type' && field !== '' && issue.input === undefined;
    if (!isMissing) problems.push({ field: field || 'body', message: `${issue.message.replace(/\.$/, '')}.` });
    else if (!misspelled.includes(field)) problems.push(missingFieldProblem(field));
  }
  return failed(inputRefused(problems));
}

/** Of a union whose alternative fits except inside, such as a list with an invalid item: the issues of that alternative. */
function findIssues(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const inside = issue.errors.find((option) => option.length > 0 && option.every(({ path }) => path.length > 0));
  return inside === undefined ? [issue] : inside.flatMap((each) => findIssues({ ...each, path: [...issue.path, ...each.path] }));
}

/** The names and words that a schema declares. */
interface Shape {
  readonly table?: NameTable; // of an object
  readonly isLoose?: boolean; // the object may have further members
  readonly members: ReadonlyMap<string, Shape>;
  readonly items?: Shape | undefined; // of a list
  readonly words?: ReadonlyMap<string, string>; // of an enumeration, by their lower case
}

const shapes = new WeakMap<z.core.$ZodType, { shape: Shape | undefined }>();

function shapeOf(schema: z.core.$ZodType): Shape | undefined {
  const known = shapes.get(schema);
  if (known !== undefined) return known.shape;
  const shape = readShape(schema);
  shapes.set(schema, { shape });
  return shape;
}

function readShape(schema: z.core.$ZodType): Shape | undefined {
  if (schema instanceof z.ZodObject) {
    const fields: [string, z.core.$ZodType][] = Object.entries(schema.shape);
    const members = fields.flatMap(([name, field]) => {
      const shape = shapeOf(field);
      return shape === undefined ? [] : [[name, shape] as const];
    });
    const table = nameTable(fields.map(([name]) => name));
    return { table, isLoose: schema.def.catchall instanceof z.ZodUnknown, members: new Map(members) };
  }
  if (schema instanceof z.ZodArray) return { members: new Map(), items: shapeOf(schema.element) };
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) {
    const texts = [...(schema instanceof z.ZodEnum ? schema.options : schema.values)].filter((word) => typeof word === 'string');
    return { members: new Map(), words: new Map(texts.map((word) => [word.toLowerCase(), word])) };
  }
  if (schema instanceof z.ZodUnion) {
    const found = schema.options.map(shapeOf).filter((shape) => shape !== undefined);
    return found.find(({ words }) => words === undefined) ?? found[0];
  }
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in); // of a transform
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNonOptional ||
    schema instanceof z.ZodReadonly
  )
    return shapeOf(schema.unwrap());
  return undefined;
}

interface Naming {
  readonly problems: FieldProblem[];
  readonly misspelled: string[]; // paths that unknown ones resemble
  readonly readOnly?: NameTable | undefined;
}

function withDeclaredNames(shape: Shape | undefined, value: unknown, path: string, naming: Naming): unknown {
  if (shape === undefined) return value;
  const { table, isLoose, members, items, words } = shape;
  if (typeof value === 'string') return words?.get(value.toLowerCase()) ?? value;
  if (Array.isArray(value)) {
    return items === undefined
      ? value
      : value.map((each, index) => withDeclaredNames(items, each, `${path}${index}.`, createInnerNaming(naming)));
  }
  if (table === undefined || !isObject(value)) return value;
  const further = isLoose ? Object.entries(value).filter(([key]) => table.find(key) === undefined) : [];
  const named: Record<string, unknown> = Object.fromEntries(further); // a name may be __proto__
  for (const [key, each] of Object.entries(value)) {
    const name = table.find(key);
    if (name === undefined) {
      if (isLoose || naming.readOnly?.find(key) !== undefined) continue;
      const closest = reportUnknown(key, path + key, table.names, naming.problems);
      if (closest !== undefined) naming.misspelled.push(path + closest);
    } else if (Object.hasOwn(named, name)) {
      naming.problems.push(repeatedFieldProblem(path + key));
    } else {
      named[name] = withDeclaredNames(members.get(name), each, `${path}${name}.`, createInnerNaming(naming));
    }
  }
  return named;
}

const createInnerNaming = ({ problems, misspelled }: Naming): Naming => ({ problems, misspelled });

/** For schemas without a message. */
function toPlainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `Expected ${typeNames[issue.expected] ?? `a ${issue.expected}`}.`;
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) === 1) return 'It must not be empty.';
      return `Expected at least ${issue.minimum}${units[issue.origin] ?? ''}.`;
    case 'too_big':
      return `Expected at most ${issue.maximum}${units[issue.origin] ?? ''}.`;
    case 'invalid_value':
      return `Expected ${issue.values.map((each) => JSON.stringify(each)).join(' or ')}.`;
    case 'invalid_union': {
      const expected = issue.errors.flatMap(([first]) => first?.message.match(/^Expected (.+)\.$/)?.[1] ?? []);
      return expected.length === 0 ? undefined : `Expected ${[...new Set(expected)].join(' or ')}.`;
    }
    default:
      return undefined;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  null: 'null',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };
