import type { ParameterDraft } from './query-draft.ts';

type Parameter = Pick<ParameterDraft, 'name' | 'required' | 'default' | 'boundTo'>;

/** The optional values that exclude all rows; none if the SQL or the required values do. */
export interface EmptyReason {
  readonly names: readonly string[];
  readonly isTogether: boolean; // leaving out one of them is not enough
}

/** With more optional values, they are left out only together. */
const MAX_SINGLE = 5;

/**
 * Runs the query again without the optional values: without all of them, then without each. `hasRows` gets the names of the
 * values that are left out. At most `MAX_SINGLE` + 1 runs.
 */
export async function explainEmpty(
  parameters: readonly Parameter[],
  values: Readonly<Record<string, unknown>>,
  hasRows: (without: readonly string[]) => Promise<boolean>,
): Promise<EmptyReason> {
  const names = optionalNames(parameters, values);
  if (names.length === 0 || !(await hasRows(names))) return { names: [], isTogether: false };
  if (names.length === 1) return { names, isTogether: false };
  const culprits: string[] = [];
  if (names.length <= MAX_SINGLE) {
    for (const name of names) if (await hasRows([name])) culprits.push(name);
  }
  return culprits.length === 0 ? { names, isTogether: true } : { names: culprits, isTogether: false };
}

const optionalNames = (parameters: readonly Parameter[], values: Readonly<Record<string, unknown>>): readonly string[] =>
  parameters
    .filter(({ required, boundTo }) => !required && boundTo === null)
    .filter(({ name, default: fallback }) => (name in values ? values[name] : fallback) !== null)
    .map(({ name }) => name);

/** `No row matches @Region = North and @Year = 2030. Leave out one of them to get rows.` */
export function emptyText(
  { names, isTogether }: EmptyReason,
  parameters: readonly Parameter[],
  values: Readonly<Record<string, unknown>>,
): string {
  const valueText = (name: string) => {
    const value = values[name] ?? parameters.find((each) => each.name === name)?.default ?? 'NULL';
    return `${name} = ${Array.isArray(value) ? value.join(', ') : String(value)}`;
  };
  if (names.length > 0) {
    const matched = `No row matches ${joinAnd(names.map(valueText))}.`;
    if (names.length === 1) return `${matched} Without this value there are rows.`;
    return isTogether ? `${matched} Without these values there are rows.` : `${matched} Without one of them there are rows.`;
  }
  const fixed = parameters.filter(({ required, boundTo }) => required || boundTo !== null);
  if (fixed.length === 0) return 'Check the conditions and joins of the SQL.';
  const texts = fixed.map(({ name, boundTo }) => (boundTo === null ? valueText(name) : `${name} from ${boundTo}`));
  return `No row matches ${joinAnd(texts)}. Check ${texts.length === 1 ? 'this value' : 'these values'}, or the conditions of the SQL.`;
}

const list = new Intl.ListFormat('en');
const joinAnd = (texts: readonly string[]): string => list.format(texts);
