import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { definedFields } from '../../core/defined-fields.ts';
import { emptyQuery, queryFields, type WrittenQuery } from '../query-fields.ts';
import { sentShape, shownShape } from '../wire-field.ts';

// A query as a file: a leading comment with its fields as YAML, then its SQL. An Epilogue is a second file.

export interface QueryFile {
  readonly sql: string;
  readonly epilogue: string | null;
}

const HEAD = '/*---';
const TAIL = '---*/';

/** The one way to write a query, so that equal queries are equal files. Fields are in the order of their declaration; unset ones are left out. */
export function writeQueryFile(query: WrittenQuery): QueryFile {
  const { sql, epilogue, ...fields } = canonicalQuery.parse(query);
  const unset: Readonly<Record<string, unknown>> = { ...emptyQuery, aiAccess: isOfferedByDefault(epilogue) };
  const set = Object.entries(fields).filter(([name, value]) => !isDeepStrictEqual(value, unset[name]));
  return {
    sql: `${HEAD}\n${writeYaml(Object.fromEntries(set))}${TAIL}\n${trimSql(sql)}\n`,
    epilogue: epilogue === null ? null : `${trimSql(epilogue)}\n`,
  };
}

/** Orders the keys of every object. */
const canonicalQuery = z.object(shownShape(queryFields));

/** A query that writes is offered to AI assistants only if its author says so. */
const isOfferedByDefault = (epilogue: string | null): boolean => epilogue === null;

function writeYaml(fields: object): string {
  const document = new Document(fields, { aliasDuplicateObjects: false });
  // a comment mark would end the comment, or begin another one, for programs that read the file as SQL
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && /\*\/|\/\*/.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  const yaml = document.toString({ lineWidth: 0 });
  return yaml.replaceAll('/*', '/\\x2A').replaceAll('*/', '*\\/');
}

/** Editors and git change line ends and the end of a file; neither is a change of the query. */
export const trimSql = (sql: string): string =>
  sql
    .replaceAll('\r\n', '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();

const sentQuery = z.object(sentShape(queryFields));

/** The fields of a file in the form that a service shows; null if they are not valid. */
export function toWritten(fields: Readonly<Record<string, unknown>>): WrittenQuery | null {
  const { data } = sentQuery.safeParse(fields);
  return data === undefined ? null : { ...emptyQuery, ...definedFields(data) };
}

/** A path in the fields, such as `parameters`, 0, `dataType`. */
export type FieldPath = readonly (string | number)[];

export interface FileProblem {
  readonly line: number;
  readonly message: string;
}

export interface ReadQuery {
  readonly fields: Readonly<Record<string, unknown>>; // not checked; complete, as a file without a field does not set it
  /** The line of a field, or of what surrounds it. For SQL, `line` is a line of the SQL. */
  lineOf(path: FieldPath, line?: number): number;
}

/** Reads the file of a query, and that of its Epilogue. The fields are checked by the service. */
export function readQueryFile({ sql, epilogue }: QueryFile): ReadQuery | FileProblem {
  const text = sql.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const [, yaml, rest] = /^\/\*---[ \t]*\n([\s\S]*?)^---\*\/[ \t]*(?:\n([\s\S]*))?$/m.exec(text) ?? [];
  if (!text.startsWith(HEAD) || yaml === undefined)
    return { line: 1, message: `Expected a comment that begins with a line ${HEAD} and ends with a line ${TAIL}.` };
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, logLevel: 'error' });
  const lineAt = (offset: number): number => lines.linePos(offset).line + 1; // the comment begins a line earlier
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const message = problem.code === 'MULTIPLE_DOCS' ? 'Expected one YAML document.' : problem.message.split(' at line ')[0];
    return { line: lineAt(problem.pos[0]), message: message ?? '' };
  }
  if (!isMap(document.contents)) return { line: 2, message: 'Expected fields, such as name and database.' };
  let fields: Record<string, unknown>;
  try {
    fields = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return { line: 2, message: error instanceof Error ? error.message : String(error) };
  }
  const infinite = findInfinite(document);
  if (infinite !== null) return { line: lineAt(infinite), message: 'Expected a finite number.' };
  const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]));
  for (const [name, place] of Object.entries(otherPlaces)) {
    const sent = names.get(name.toLowerCase());
    if (sent !== undefined) return { line: lineAt(offsetOf(document.contents, [sent])), message: `${sent} ${place}.` };
  }
  const body = rest ?? '';
  const before = text.length - body.length + body.search(/\S|$/); // blank lines are not part of the SQL
  const sqlLine = text.slice(0, before).split('\n').length;
  return {
    fields: {
      ...(names.has('aiaccess') ? {} : { aiAccess: isOfferedByDefault(epilogue) }),
      ...(names.has('roles') ? {} : { roles: [] }),
      ...fields,
      sql: trimSql(body),
      epilogue: epilogue && trimSql(epilogue),
    },
    lineOf: (path, line = 1) => {
      if (path[0] === 'epilogue') return line;
      return path[0] === 'sql' ? sqlLine + line - 1 : lineAt(offsetOf(document.contents, path));
    },
  };
}

/** The parts of a query that are no fields of its file, and where they are. */
const otherPlaces = {
  sql: 'stands after the comment',
  epilogue: 'stands in its own file',
  queryName: 'is the name of the file',
};

/** JSON has no such numbers: they would be sent as null. */
function findInfinite(document: Document): number | null {
  let offset: number | null = null;
  visit(document, {
    Scalar(_key, { value, range }) {
      if (typeof value !== 'number' || Number.isFinite(value)) return undefined;
      offset = range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** Where the innermost node on the path begins. */
function offsetOf(root: Node | null, path: FieldPath): number {
  let node: unknown = root;
  let offset = 0;
  for (const step of path) {
    if (isMap(node)) {
      // the service reads names ignoring case
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value).toLowerCase() === String(step).toLowerCase());
      if (pair === undefined) return offset;
      offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = isNode(node) ? (node.range?.[0] ?? offset) : offset;
    } else return offset;
  }
  return offset;
}
