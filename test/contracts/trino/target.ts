import type { TrinoTarget } from './fixture.ts';

/**
 * A Trino at `http://user@host:port/memory` whose catalog `memory` is writable. With a password the URL starts with https.
 */
export async function prepareTrino(url: string): Promise<TrinoTarget> {
  const { hostname, port, username, password, pathname, protocol, origin } = new URL(url);
  const [database, user] = [pathname.slice(1) || 'memory', decodeURIComponent(username) || 'test'];
  const secret = decodeURIComponent(password);

  async function rows(sql: string): Promise<unknown[]> {
    const authorization = secret === '' ? {} : { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` };
    const headers = { 'x-trino-user': user, 'x-trino-catalog': database, 'x-trino-schema': 'shop', ...authorization };
    const found: unknown[] = [];
    let response = await fetch(`${origin}/v1/statement`, { method: 'POST', body: sql, headers });
    for (;;) {
      const page: { data?: unknown[]; nextUri?: string; error?: { message: string } } = JSON.parse(await response.text());
      if (page.error !== undefined) throw new Error(page.error.message);
      found.push(...(page.data ?? []));
      if (page.nextUri === undefined) return found;
      response = await fetch(page.nextUri, { headers });
    }
  }

  for (const sql of [
    'CREATE SCHEMA IF NOT EXISTS shop',
    'DROP VIEW IF EXISTS shown_items',
    'DROP TABLE IF EXISTS items',
    "CREATE TABLE items (id bigint COMMENT 'The number', name varchar) COMMENT 'What we sell'",
    "INSERT INTO items VALUES (1, 'one'), (2, 'two')",
    'CREATE VIEW shown_items AS SELECT id FROM items',
  ]) {
    await rows(sql);
  }
  return {
    connection: {
      host: hostname,
      port: Number(port),
      user,
      database,
      ...(protocol === 'https:' ? { password: secret, tls: { rejectUnauthorized: false } } : {}),
    },
    settings: { schema: 'shop' },
    canary: async () =>
      JSON.stringify([await rows('SHOW TABLES'), await rows('SHOW SCHEMAS'), await rows('SELECT * FROM items ORDER BY 1')]),
  };
}
