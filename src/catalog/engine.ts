import type { SqlDialect } from './sql-dialect.ts';

/** What administrators and authors see of an engine. `web/app/engines.ts` is generated from it. */
export interface EngineDescription {
  readonly kind: string; // in the record of a database
  readonly label: string;
  /** What the connector was tested against, if not a current server: then it is experimental. */
  readonly testedOnly?: string;
  readonly connection: 'file' | NetworkConnection;
  /** The settings that have a field in the form. */
  readonly settings: readonly SettingField[];
  readonly dialect: SqlDialect;
}

/** `{host, port, user, password, database, tls}` */
export interface NetworkConnection {
  readonly port: number; // the default
  readonly tlsPort?: number; // the default with TLS, if it differs
  readonly databaseLabel?: string;
  readonly defaultDatabase?: string; // left out: the database is required
}

export interface SettingField {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  /** One line of text, a number, lines of name=value, or one of the options. */
  readonly input: 'text' | 'number' | 'properties' | 'options';
  readonly placeholder?: string; // the default
  readonly options?: readonly SettingOption[];
  /** The title of a collapsed section for settings that few connections need. */
  readonly section?: string;
}

export interface SettingOption {
  readonly value: boolean | string | null; // null: the setting is left out
  readonly label: string;
}
