import type { EngineDescription } from '../../src/catalog/engine.ts';
import { standardSql } from '../../src/catalog/sql-dialect.ts';
import { engines } from './engines.ts';

/** An unknown engine is shown by its kind. */
export const engineOf = (kind: string): EngineDescription =>
  engines.find((each) => each.kind === kind) ?? {
    ...{ kind, label: kind, connection: { port: 0 }, settings: [] },
    dialect: standardSql,
  };
