import type { NetworkSettings } from '../network/network-engine.ts';
import { engineError } from './engine-error.ts';
import { RowConnection } from './row-connection.ts';
import { settleMs, Session } from './session.ts';

/** Connects and logs in. Throws ConnectorError `unavailable`. */
export async function connect(settings: NetworkSettings): Promise<Session> {
  const { host, port, user, password, database, tls, connectTimeoutMs } = settings;
  const connection = new RowConnection({
    server: host,
    authentication: { type: 'default', options: { userName: user, password } },
    options: {
      port,
      database,
      appName: 'sluice',
      ...(tls === false ? { encrypt: false } : tlsOptions(tls)),
      connectTimeout: connectTimeoutMs,
      requestTimeout: 0, // a run has its own deadline
      cancelTimeout: settleMs,
      maxRetriesOnTransientErrors: 0,
      abortTransactionOnError: true,
      packetSize: 8000,
    },
  });
  connection.on('error', () => {}); // the end event reports the loss
  const session = new Session(connection);
  try {
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    connection.close();
    throw engineError('unavailable', error);
  }
  return session;
}

function tlsOptions({ ca, rejectUnauthorized, servername }: Exclude<NetworkSettings['tls'], false>) {
  return {
    encrypt: true,
    trustServerCertificate: rejectUnauthorized === false,
    ...(servername === undefined ? {} : { serverName: servername }),
    ...(ca === undefined ? {} : { cryptoCredentialsDetails: { ca } }),
  };
}
