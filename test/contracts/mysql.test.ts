import { afterAll, describe } from 'vitest';
import { makeMariadb } from '../support/mariadb-server.ts';
import { connectorContract } from './connector-contract.ts';
import { mysqlFixture, prepareMysql } from './mysql-fixture.ts';
import { mysqlLanguage } from './mysql-language.ts';
import { mysqlSessions } from './mysql-sessions.ts';
import { mysqlSessionFixture, prepareSessionTraces } from './sessions/mysql-traces.ts';
import { sessionContract } from './sessions/session-contract.ts';

const server = await makeMariadb();
if (typeof server === 'string') {
  describe.skip(server, () => {});
} else {
  afterAll(() => server.remove());
  const prepared = await prepareMysql(server);
  connectorContract('MariaDB', mysqlFixture(prepared));
  await prepareSessionTraces(prepared);
  sessionContract('MariaDB', mysqlSessionFixture(prepared));
  mysqlLanguage(prepared);
  mysqlSessions(prepared);
}
