import { LRUCache } from 'lru-cache';
import { TYPES } from 'tedious';
import type { Column } from '../../results/column.ts';
import { ConnectorError } from '../connector.ts';
import { columnOf } from './columns.ts';
import { engineError } from './engine-error.ts';
import { refuseAllButChange, refuseAllButQuery } from './one-statement.ts';
import type { RenderedSql } from './parameters.ts';
import type { Session } from './session.ts';

const maxCached = 500;

/** The columns of statements by their text, cached for all connections of a database. */
export class Descriptions {
  readonly #cached = new LRUCache<string, readonly Column[]>({ max: maxCached });

  /** The columns of an author's SQL, which must be one query that only reads. Throws `invalid`. */
  async query(session: Session, rendered: RenderedSql): Promise<readonly Column[]> {
    const key = keyOf(rendered);
    const columns = this.#cached.get(key) ?? (await describeQuery(session, rendered));
    this.#cached.set(key, columns);
    return columns;
  }

  forget(rendered: RenderedSql): void {
    this.#cached.delete(keyOf(rendered));
  }
}

async function describeQuery(session: Session, rendered: RenderedSql): Promise<readonly Column[]> {
  refuseAllButQuery(rendered.source);
  const columns = await describe(session, rendered);
  if (columns.length === 0) throw new ConnectorError('invalid', 'Only a query that returns rows can be run here.');
  return columns;
}

/** Checks an Epilogue, which must be one statement that changes rows. Throws `invalid`. */
export async function checkEpilogue(session: Session, rendered: RenderedSql): Promise<void> {
  refuseAllButChange(rendered.source);
  await describe(session, rendered);
}

const keyOf = ({ declaration, sql }: RenderedSql): string => `${declaration}\n${sql}`;

async function describe(session: Session, { sql, declaration, source }: RenderedSql): Promise<readonly Column[]> {
  try {
    const rows = await session.call('sys.sp_describe_first_result_set', [
      { name: 'tsql', type: TYPES.NVarChar, value: sql, options: {} },
      { name: 'params', type: TYPES.NVarChar, value: declaration, options: {} },
      { name: 'browse_information_mode', type: TYPES.TinyInt, value: 0, options: {} },
    ]);
    return rows.map(([, , name, , , type, , , , , , , , userType]) =>
      columnOf(String(name ?? ''), String(type ?? userType ?? 'unknown')),
    );
  } catch (error) {
    throw engineError('invalid', error, source);
  }
}
