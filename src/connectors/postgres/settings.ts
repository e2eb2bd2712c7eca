import { z } from 'zod';
import {
  type NetworkSettings,
  networkHost,
  networkName,
  networkPassword,
  networkPort,
  networkSettings,
  networkTls,
} from '../network-settings.ts';

export type PostgresSettings = NetworkSettings;

export const readSettings = networkSettings(
  'PostgreSQL',
  z.strictObject({
    host: networkHost,
    port: networkPort(5432),
    user: networkName('user'),
    password: networkPassword,
    database: networkName('database'),
    tls: networkTls,
  }),
);
