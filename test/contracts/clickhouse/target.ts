import type { ClickHouseTarget } from './fixture.ts';

/** A ClickHouse at `http://user:password@host:port/` in the time zone Europe/Berlin, whose account may create the database `shop`. */
export async function prepareClickHouse(url: string): Promise<ClickHouseTarget> {
  const { hostname, port, username, password, protocol, origin } = new URL(url);
  const user = decodeURIComponent(username) || 'default';
  const secret = decodeURIComponent(password);
  const headers = { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': secret };

  async function execute(sql: string): Promise<string> {
    const response = await fetch(origin, { method: 'POST', body: sql, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }

  for (const sql of [
    'DROP DATABASE IF EXISTS shop',
    'CREATE DATABASE shop',
    "CREATE TABLE shop.items (id UInt32 COMMENT 'The number', name Nullable(String)) ENGINE = MergeTree ORDER BY id COMMENT 'What we sell'",
    "INSERT INTO shop.items VALUES (1, 'one'), (2, 'two')",
    'CREATE VIEW shop.shown_items AS SELECT id FROM shop.items',
    'DROP USER IF EXISTS sluice_reader',
    "CREATE USER sluice_reader IDENTIFIED BY 'Sluice-reader-1'",
    'GRANT SELECT ON shop.* TO sluice_reader',
  ]) {
    await execute(sql);
  }
  return {
    connection: {
      host: hostname,
      port: Number(port),
      user: 'sluice_reader',
      password: 'Sluice-reader-1',
      database: 'shop',
      ...(protocol === 'https:' ? { tls: { rejectUnauthorized: false } } : {}),
    },
    canary: () =>
      execute(
        "SELECT groupArray((database, name)), (SELECT groupArray(tuple(*)) FROM shop.items) FROM (SELECT * FROM system.tables WHERE database = 'shop' ORDER BY name)",
      ),
  };
}
