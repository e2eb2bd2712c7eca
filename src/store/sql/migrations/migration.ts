export type SqlKind = 'sqlite' | 'postgres';

export interface Migration {
  readonly name: string;
  /** The store that it changes; default: both. */
  readonly only?: SqlKind;
  /** Run in order, all in one transaction together with every other pending migration. `text` is the type of texts. */
  statements(text: string, kind: SqlKind): readonly string[];
}

export const statementsOf = ({ only, statements }: Migration, kind: SqlKind): readonly string[] =>
  only === undefined || only === kind ? statements(textTypes[kind], kind) : [];

/** In PostgreSQL sorted by bytes, so that both databases list in the same order. */
const textTypes: Readonly<Record<SqlKind, string>> = { postgres: 'text collate "C"', sqlite: 'text' };
