import { findLocalVariables, findPlaceholders, placeholderTokens } from '../../../src/catalog/placeholders.ts';
import type { SqlDialect } from '../../../src/catalog/sql-dialect.ts';
import { sqlTokens } from '../../../src/catalog/sql-tokens.ts';
import type { ColumnFormat } from '../../../src/core/column-format.ts';
import { engineOf } from '../../app/engine-of.ts';
import type { Database, Query, QueryBody, QueryParameter, QueryVersion } from '../../app/wire.ts';

export interface ParameterDraft {
  readonly name: string;
  readonly label: string;
  readonly dataType: string;
  readonly required: boolean;
  readonly default: string | null;
  readonly description: string;
  readonly values: readonly string[];
  readonly valuesOpen: boolean; // the values are suggestions
  readonly masked: boolean;
  readonly multiple: boolean;
  readonly boundTo: string | null; // null: callers send it
  readonly choices: ChoicesDraft | null;
  readonly choicesOnly: boolean;
}

export type ChoicesDraft = NonNullable<QueryParameter['choices']>;

export interface ColumnDraft {
  readonly name: string;
  readonly displayName: string;
  readonly type: 'categorical' | 'numeric' | null; // null: derived from the format and the database type
  readonly format: ColumnFormat | null; // null: derived from the database type
}

/** A query in the editor. The name of its database is empty if none was chosen yet. */
export interface QueryDraft extends Omit<QueryContent, 'epilogue' | 'parameters' | 'columns' | 'resultColumns' | 'note'> {
  readonly epilogue: string;
  /** Includes parameters that were removed from the SQL, because they may be added again. */
  readonly parameters: readonly ParameterDraft[];
  readonly columns: readonly ColumnDraft[];
  readonly note: string; // what changed in the version that is edited
}

export const MAX_NAME_LENGTH = 200;
export const MAX_NOTE_LENGTH = 500;

/** The fields that queries and their versions share. */
export type QueryContent = Omit<QueryVersion, VersionState | 'note'> & { readonly note?: string };

type VersionState = 'version' | 'status' | 'createdBy' | 'createdAt' | 'activatedAs' | 'activatedAt' | 'retiresAt' | 'canRetire';

export const compatibilityNames = { warn: 'Warn before breaking changes', enforce: 'Refuse breaking changes' } as const;

/** The content that an edit of the query starts with. An edit of a version that is not a draft makes another one, without a note. */
export const pristineOf = (target: Query): QueryDraft => ({
  ...draftOf(target),
  note: isDraft(target) ? (target.note ?? '') : '',
});

/** Whether an edit changes this version instead of starting another one. */
export const isDraft = ({ status }: Pick<Query, 'status'>): boolean => status === 'Draft' || status === 'Validated';

export function draftOf(query: QueryContent): QueryDraft {
  return {
    ...emptyDraft, // drafts are compared as JSON, in the order of these fields
    ...pickFields(query, emptyDraft),
    epilogue: query.epilogue ?? '',
    note: '',
    parameters: query.parameters.map((parameter) => ({
      name: parameter.name,
      label: parameter.label ?? '',
      dataType: parameter.dataType,
      required: parameter.required,
      default: parameter.default ?? null,
      description: parameter.description ?? '',
      values: parameter.values ?? [],
      valuesOpen: parameter.valuesOpen ?? false,
      masked: parameter.masked ?? false,
      multiple: parameter.multiple ?? false,
      boundTo: parameter.boundTo ?? null,
      choices: parameter.choices ?? null,
      choicesOnly: parameter.choicesOnly ?? false,
    })),
    columns: query.columns.map(({ name, displayName = '', type = null, format = null }) => ({ name, displayName, type, format })),
  };
}

/** The content of a new query that starts as a copy of another one. Without the permission to write, it has no Epilogue. */
export function copyOf(query: QueryContent, mayWrite: boolean): QueryDraft {
  const draft = draftOf(query);
  return { ...draft, name: `Copy of ${draft.name}`.slice(0, MAX_NAME_LENGTH), epilogue: mayWrite ? draft.epilogue : '' };
}

/** A draft as it would be saved, to compare it with a version. */
export function contentOf(draft: QueryDraft, dialect: SqlDialect): QueryContent {
  const { parameters, columns, ...rest } = bodyOf(draft, dialect);
  return {
    ...rest,
    parameters: parameters.map(({ name, label, dataType, required, default: defaultValue, description, values, ...special }) => ({
      ...{ name, dataType, required },
      ...(label === null ? {} : { label }),
      ...(defaultValue === null ? {} : { default: defaultValue }),
      ...(description === null ? {} : { description }),
      ...(values === null ? {} : { values }),
      ...(special.valuesOpen ? { valuesOpen: true } : {}),
      ...(special.masked ? { masked: true } : {}),
      ...(special.multiple ? { multiple: true } : {}),
      ...(special.boundTo === null ? {} : { boundTo: special.boundTo }),
      ...(special.choices === null ? {} : { choices: special.choices }),
      ...(special.choicesOnly ? { choicesOnly: true } : {}),
    })),
    columns: columns.map(({ name, displayName, type, format }) => ({
      name,
      ...(displayName === null ? {} : { displayName }),
      ...(type === null ? {} : { type }),
      ...(format === null ? {} : { format }),
    })),
    resultColumns: null,
  };
}

/** What changes immediately when it is saved, without a new version of the SQL. */
const emptyLabels = { description: '', tip: '', tags: [], roles: [], aiAccess: true, compatibility: 'warn' } as const;

const emptyDraft: QueryDraft = {
  ...emptyLabels,
  ...{ name: '', database: '', sql: '', epilogue: '', parameters: [], columns: [], chart: null, note: '' },
  ...{ timeoutSeconds: null, maxRows: null, cacheSeconds: null },
};

/** Adds the fields that a draft lacks because an earlier release kept it. */
export const completeDraft = (kept: QueryDraft): QueryDraft => ({
  ...emptyDraft,
  ...kept,
  parameters: kept.parameters.map((parameter) => ({ ...createParameter(parameter.name, false), ...parameter })),
  columns: kept.columns.map((column) => ({ ...{ displayName: '', type: null, format: null }, ...column })),
});

export const createDraft = (database: string): QueryDraft => ({ ...emptyDraft, database });

/** The fields of an object that another one has, too. */
function pickFields<T extends object, Other extends object>(from: T, other: Other): Pick<T, keyof T & keyof Other>;
function pickFields(from: object, other: object): object {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name in other));
}

export function bodyOf(draft: QueryDraft, dialect: SqlDialect) {
  const { epilogue, parameters: _, columns, ...rest } = draft;
  return {
    ...rest,
    epilogue: epilogue.trim() === '' ? null : epilogue,
    parameters: listParameters(draft, dialect).map(({ label, description, values, ...parameter }) => {
      const isBound = parameter.boundTo !== null;
      return {
        ...parameter,
        label: label.trim() === '' ? null : label.trim(),
        description: description === '' ? null : description,
        // a bound parameter has neither default nor values nor choices
        default: isBound ? null : parameter.default,
        values: isBound || values.length === 0 ? null : values,
        valuesOpen: !isBound && values.length > 0 && parameter.valuesOpen,
        choices: isBound ? null : parameter.choices,
        choicesOnly: !isBound && parameter.choices !== null && parameter.choicesOnly,
      };
    }),
    columns: columns
      .filter(hasSettings)
      .map((column) => ({ ...column, displayName: column.displayName === '' ? null : column.displayName })),
  } satisfies QueryBody;
}

const isSame = (a: QueryDraft, b: QueryDraft, dialect: SqlDialect): boolean =>
  a === b || JSON.stringify(bodyOf(a, dialect)) === JSON.stringify(bodyOf(b, dialect));

/** Which part of the draft is not saved. 'labels' includes an unsaved note, 'definition' includes both. */
export type Unsaved = 'nothing' | 'note' | 'labels' | 'definition';

export function findUnsavedPart(draft: QueryDraft, pristine: QueryDraft, dialect: SqlDialect): Unsaved {
  if (isSame(draft, pristine, dialect)) return 'nothing';
  const { note } = pristine;
  if (isSame({ ...draft, note }, pristine, dialect)) return 'note';
  return isSame({ ...draft, note, ...pickFields(pristine, emptyLabels) }, pristine, dialect) ? 'labels' : 'definition';
}

/** The parameters in the SQL: known ones in their saved order, then new ones in order of appearance. */
export function listParameters(draft: QueryDraft, dialect: SqlDialect): readonly ParameterDraft[] {
  const names = parameterNames(draft, dialect);
  const known = draft.parameters.filter(({ name }) => names.includes(name));
  const added = names.filter((name) => !known.some((parameter) => parameter.name === name));
  const { sql } = draft;
  return [...known, ...added.map((name) => createParameter(name, isListIn(sql, name, dialect)))];
}

/** Whether the SQL uses the name as a list: `in (@Name)`, and alone in parentheses wherever else it stands. */
function isListIn(sql: string, name: string, dialect: SqlDialect): boolean {
  const { tokens, placeholders } = placeholderTokens(sql, dialect);
  const uses = tokens.flatMap((token, index) => (placeholders.has(token) && token.text === name ? [index] : []));
  const isAlone = (at: number) => tokens[at - 1]?.text === '(' && tokens[at + 1]?.text === ')';
  return uses.every(isAlone) && uses.some((at) => tokens[at - 2]?.text.toLowerCase() === 'in');
}

/** Replaces one of the listed parameters. All of them are kept, so that none changes its place. */
export function withParameter(draft: QueryDraft, changed: ParameterDraft, dialect: SqlDialect): QueryDraft {
  const listed = listParameters(draft, dialect);
  const removed = draft.parameters.filter(({ name }) => !listed.some((parameter) => parameter.name === name));
  const parameters = listed.map((parameter) => (parameter.name === changed.name ? changed : parameter));
  return { ...draft, parameters: [...parameters, ...removed] };
}

/** Columns without settings are not stored. */
export const hasSettings = ({ displayName, type, format }: ColumnDraft): boolean =>
  displayName !== '' || type !== null || format !== null;

export function withColumn(draft: QueryDraft, changed: ColumnDraft): QueryDraft {
  const isKnown = draft.columns.some(({ name }) => name === changed.name);
  const columns = isKnown
    ? draft.columns.map((column) => (column.name === changed.name ? changed : column))
    : [...draft.columns, changed];
  return { ...draft, columns };
}

/** Turns AI access off when a query gets an Epilogue, like the service. The author can turn it on again. */
export const withEpilogue = (draft: QueryDraft, epilogue: string): QueryDraft =>
  draft.epilogue.trim() === '' && epilogue.trim() !== '' ? { ...draft, epilogue, aiAccess: false } : { ...draft, epilogue };

export const dialectOf = (database: Database | undefined): SqlDialect => engineOf(database?.kind ?? '').dialect;

function parameterNames({ sql, epilogue }: QueryDraft, dialect: SqlDialect): readonly string[] {
  // the Epilogue may read variables that the statement sets
  const own = findLocalVariables(sqlTokens(sql, dialect), dialect);
  const inEpilogue = findPlaceholders(epilogue, dialect).filter((name) => !own.has(name.toLowerCase()));
  return [...new Set([...findPlaceholders(sql, dialect), ...inEpilogue])];
}

const createParameter = (name: string, multiple: boolean): ParameterDraft => ({
  ...{ name, dataType: guessType(name), required: true },
  ...{ label: '', default: null, description: '', values: [], valuesOpen: false, masked: false },
  ...{ multiple, boundTo: null, choices: null, choicesOnly: false },
});

/** A guess based on the name, which the author can change. */
function guessType(name: string): string {
  if (/(date|day|since|until)$/i.test(name) || /^@(from|to)$/i.test(name)) return 'date';
  if (/(id|count|year|month|number|limit|top|size|quantity)$/i.test(name)) return 'int';
  if (/(amount|price|total)$/i.test(name)) return 'decimal(18,2)';
  return /^@(is|has|only)(?=[A-Z_])/.test(name) ? 'bit' : 'nvarchar(100)';
}
