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

export type MysqlSettings = NetworkSettings;

export const readSettings = networkSettings(
  'MySQL',
  z.strictObject({
    host: networkHost,
    port: networkPort(3306),
    user: networkName('user'),
    password: networkPassword,
    database: networkName('database'),
    tls: networkTls,
  }),
);
