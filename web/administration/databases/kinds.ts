export interface Kind {
  readonly kind: string; // as the service calls it
  readonly name: string;
  readonly port: number | null; // its usual one; null: a file
  readonly databaseLabel: string;
  /** What its connector was tested against, where that is not a current server. */
  readonly testedOnly?: string;
}

/** The engines and what their forms differ in. */
export const kinds: readonly Kind[] = [
  { kind: 'postgres', name: 'PostgreSQL', port: 5432, databaseLabel: 'Database' },
  { kind: 'mysql', name: 'MySQL or MariaDB', port: 3306, databaseLabel: 'Database' },
  { kind: 'sqlserver', name: 'SQL Server', port: 1433, databaseLabel: 'Database', testedOnly: 'a double of its protocol' },
  {
    kind: 'clickhouse',
    name: 'ClickHouse',
    port: 8123,
    databaseLabel: 'Database',
    testedOnly: 'version 18.16 and a double of its protocol',
  },
  { kind: 'trino', name: 'Trino', port: 8080, databaseLabel: 'Catalog', testedOnly: 'a double of its protocol' },
  { kind: 'duckdb', name: 'DuckDB', port: null, databaseLabel: '' },
  { kind: 'sqlite', name: 'SQLite', port: null, databaseLabel: '' },
];

/** One that this page does not know yet is shown by its word. */
export const kindOf = (word: string): Kind =>
  kinds.find(({ kind }) => kind === word) ?? { kind: word, name: word, port: 0, databaseLabel: 'Database' };

export const kindLabel = ({ name, testedOnly }: Kind): string => (testedOnly === undefined ? name : `${name} (experimental)`);

export const isFile = (kind: string): boolean => kindOf(kind).port === null;
