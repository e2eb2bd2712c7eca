import { afterAll, describe } from 'vitest';
import { makeMariadb } from '../../support/databases/mariadb-server.ts';
import { connectorContract } from '../connector-contract.ts';
import { mysqlSessionFixture, prepareSessionTraces } from '../sessions/mysql-traces.ts';
import { sessionContract } from '../sessions/session-contract.ts';
import { mysqlFixture, prepareMysql } from './fixture.ts';
import { mysqlLanguage } from './language.ts';
import { mysqlPlainStatements } from './plain-statements.ts';
import { mysqlSessions } from './sessions.ts';

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
  mysqlPlainStatements(prepared);
  mysqlSessions(prepared);
}
