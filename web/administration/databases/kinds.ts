export interface Kind {
  readonly kind: string; // the service's name for it
  readonly name: string;
  readonly port: number | null; // the default port; null: a file
  readonly tlsPort?: number; // the usual port with TLS, if it is another one
  readonly databaseLabel: string;
  /** What the connector was tested against, if not a current server. */
  readonly testedOnly?: string;
}

/** The engines and how their forms differ. */
export const kinds: readonly Kind[] = [
  { kind: 'postgres', name: 'PostgreSQL', port: 5432, databaseLabel: 'Database' },
  { kind: 'mysql', name: 'MySQL or MariaDB', port: 3306, databaseLabel: 'Database' },
  { kind: 'sqlserver', name: 'SQL Server', port: 1433, databaseLabel: 'Database', testedOnly: 'a simulated server' },
  {
    kind: 'clickhouse',
    name: 'ClickHouse',
    port: 8123,
    tlsPort: 8443,
    databaseLabel: 'Database',
    testedOnly: 'version 18.16 and a simulated server',
  },
  { kind: 'trino', name: 'Trino', port: 8080, tlsPort: 8443, databaseLabel: 'Catalog', testedOnly: 'a simulated server' },
  { kind: 'duckdb', name: 'DuckDB', port: null, databaseLabel: '' },
  { kind: 'sqlite', name: 'SQLite', port: null, databaseLabel: '' },
];

/** An unknown kind is shown by its name. */
export const kindOf = (kind: string): Kind =>
  kinds.find((each) => each.kind === kind) ?? { kind, name: kind, port: 0, databaseLabel: 'Database' };

export const kindLabel = ({ name, testedOnly }: Kind): string => (testedOnly === undefined ? name : `${name} (experimental)`);

export const isFile = (kind: string): boolean => kindOf(kind).port === null;
