export type SqlKind = 'sqlite' | 'postgres';

export interface Migration {
  readonly name: string;
  /** Run in order, all in one transaction together with every other pending migration. */
  statements(kind: SqlKind): readonly string[];
}
