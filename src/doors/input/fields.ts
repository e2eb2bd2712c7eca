import type { z } from 'zod';
import { findClosestName, quoteName, suggestName } from '../../catalog/closest-name.ts';
import type { SentParameter } from '../../catalog/parameter.ts';
import { filledFields } from '../../core/defined-fields.ts';
import { failed, type Failure, type FieldProblem, inputRefused, missingFieldProblem, type SentQuery } from '../../core/errors.ts';

/** A field of a request: where callers may send it, and how its value is read. */
export interface Field<T> {
  readonly required: boolean;
  readonly from: From;
  readonly unlisted?: true; // known, but not suggested
  readonly openApi?: z.ZodType; // left out: not documented
  readonly description?: string; // in the OpenAPI document
  /** Returns undefined if the field counts as absent or has a problem. `value` is never null or undefined. */
  read(value: unknown, path: string, problems: FieldProblem[]): T | undefined;
}

/** `header` includes the body and the query string, `query` the body. The body wins, then the query string. */
export type From = 'body' | 'query' | 'header';

export type FieldList = Readonly<Record<string, Field<unknown>>>;

/** The values of a request; optional ones may be absent. */
export type FieldValues<List extends FieldList> = {
  readonly [Name in keyof List]: List[Name] extends Field<infer T> & { required: true }
    ? T
    : List[Name] extends Field<infer T>
      ? T | undefined
      : never;
};

export interface Sent {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly query?: unknown; // the parsed query string
  readonly headers?: Readonly<Record<string, unknown>>;
}

export interface FieldTable<List extends FieldList> {
  readonly fields: List;
  /** All values, or all problems at once. */
  read(sent: Sent): Read<FieldValues<List>>;
}

/** The values of a request; or its problems and the values without one. */
export type Read<Values> = { ok: true; value: Values } | { ok: false; failure: Failure; partly: Partly<Values> };

/** Undefined: absent. Null: sent, but not readable. */
export type Partly<Values> = { readonly [Name in keyof Values]?: Values[Name] | null };

/** How a name is compared. */
export type Spelling = (name: string) => string;
const foldCase: Spelling = (name) => name.toLowerCase();
export const foldSeparators: Spelling = (name) => name.replace(/[_-]/g, '').toLowerCase();

/** The reader of a request by its fields. Nothing that a caller sends is ignored: an unknown name is a problem. */
export function fieldTable<List extends FieldList>(fields: List, spelling: Spelling = foldCase): FieldTable<List> {
  const entries = Object.entries(fields).map(([name, field], index) => ({ name, field, index, header: name.toLowerCase() }));
  const table = nameTable(Object.keys(fields), spelling);
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const listed = entries.filter(({ field }) => field.unlisted !== true);
  const suggested = {
    body: listed.map(({ name }) => name),
    query: listed.filter(({ field }) => field.from !== 'body').map(({ name }) => name),
  };

  function collect(sent: Readonly<Record<string, unknown>>, place: Place, { found, problems, misspelled }: Collected): void {
    for (const as of Object.keys(sent)) {
      const name = table.find(as);
      const entry = name === undefined ? undefined : byName.get(name);
      if (entry === undefined || (place === 'query' && entry.field.from === 'body')) {
        const closest = reportUnknown(as, as, suggested[place], problems);
        if (closest !== undefined) misspelled.push(closest);
        continue;
      }
      const value = sent[as];
      if (value === null || value === undefined || isAbsentIn(entry.field, place, value)) continue;
      const before = found[entry.index];
      if (before === undefined) found[entry.index] = { value, as, place };
      else if (before.place === place) problems.push(repeatedFieldProblem(as));
    }
  }

  return {
    fields,
    read({ body, query, headers }) {
      const problems: FieldProblem[] = [];
      const found: (Found | undefined)[] = [];
      const into = { found, problems, misspelled: [] };
      if (body !== undefined) collect(body, 'body', into);
      if (isObject(query)) collect(query, 'query', into);
      const values: Record<string, unknown> = {};
      for (const { name, field, index, header } of entries) {
        const match = found[index];
        let value = match?.value;
        if (match === undefined && headers !== undefined && field.from === 'header' && !isAbsent(headers[header]))
          value = headers[header];
        if (value !== undefined && !(field.required && value === ''))
          values[name] = readField(field, value, match?.as ?? name, problems);
        else if (field.required && !into.misspelled.some((each) => each === name)) problems.push(missingFieldProblem(name));
      }
      // each was read by its own field
      if (problems.length === 0) return { ok: true, value: values as FieldValues<List> };
      for (const name of into.misspelled) values[name] ??= null;
      return { ok: false, failure: inputRefused(problems), partly: values as Partly<FieldValues<List>> };
    },
  };
}

function readField(field: Field<unknown>, value: unknown, path: string, problems: FieldProblem[]): unknown {
  const { length } = problems;
  const read = field.read(value, path, problems);
  if (read === undefined && field.required && problems.length === length) problems.push(missingFieldProblem(path));
  return read ?? (problems.length > length ? null : undefined);
}

type Place = 'body' | 'query';

interface Found {
  readonly value: unknown;
  readonly as: string;
  readonly place: Place;
}

interface Collected {
  readonly found: (Found | undefined)[]; // in the order of the table
  readonly problems: FieldProblem[];
  readonly misspelled: string[]; // known names that unknown ones resemble
}

/** Names as declared, found by any accepted spelling. */
export interface NameTable {
  readonly names: readonly string[];
  find(sent: string): string | undefined;
}

export function nameTable(names: readonly string[], spelling: Spelling = foldCase): NameTable {
  const exact = new Set(names);
  const spelled = new Map(names.map((name) => [spelling(name), name]));
  return { names, find: (sent) => (exact.has(sent) ? sent : spelled.get(spelling(sent))) };
}

const MOST_SUGGESTIONS = 20; // comparing names takes time
const MOST_PROBLEMS = 100;

/** Reports an unknown name; returns the known one that it resembles, which is then not missing. */
export function reportUnknown(
  sent: string,
  path: string,
  known: readonly string[],
  problems: FieldProblem[],
): string | undefined {
  const { length } = problems;
  if (length >= MOST_PROBLEMS) return undefined;
  const closest = length < MOST_SUGGESTIONS ? findClosestName(sent, known) : undefined;
  const advice = length < MOST_SUGGESTIONS ? ` ${suggestName(closest, known)}` : '';
  const message = `There is no field ${quoteName(sent)} here.${advice}`;
  problems.push({ kind: 'FieldUnknown', field: path.slice(0, 200), message });
  return closest;
}

export const repeatedFieldProblem = (path: string): FieldProblem => ({ field: path, message: 'It is sent twice. Send it once.' });

/** Some programs send an absent value in a header as the word `null` or `undefined`. */
const isAbsent = (value: unknown): boolean => value === undefined || value === '' || value === 'null' || value === 'undefined';
const isAbsentIn = ({ from }: Field<unknown>, place: Place, value: unknown): boolean =>
  from === 'header' && place === 'query' ? isAbsent(value) : value === '' && (from === 'header' || place === 'query');

/** A value of a query string that may have any other names. */
export function queryValue(query: unknown, name: string): unknown {
  if (!isObject(query)) return undefined;
  const key = Object.keys(query).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : query[key];
}

/** A value in the path of a route; empty if it has none of this name. */
export const pathValue = (params: unknown, name: string): string => (isObject(params) ? String(params[name] ?? '') : '');

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface PartlySent {
  readonly queryName: string | null | undefined;
  readonly queryId?: string | null | undefined;
  readonly parameters: readonly SentParameter[] | null | undefined;
  readonly code?: string | null | undefined; // continues a result, whose query has its own parameters
  readonly chart?: SentQuery['chart'];
  readonly open?: readonly string[] | null | undefined;
}

/**
 * Refuses a request with what could be read of it: if the caller may run the query, the problems of the parameters and of the
 * chart are reported together with those of the form.
 */
export function refuseForm(
  failure: Failure,
  { queryName, queryId, parameters, code, chart, open }: PartlySent,
): ReturnType<typeof failed> {
  if (!('problems' in failure) || parameters === null || code === null || code) return failed(failure);
  if (!queryName && !queryId) return failed(failure);
  const sent = {
    queryName: queryName || queryId || '',
    parameters: parameters ?? [],
    ...filledFields({ queryId, chart, open }),
  };
  return failed({ ...failure, sent });
}
