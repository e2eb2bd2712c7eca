import { z } from 'zod';
import { permissions } from '../../access/permission.ts';
import { channels } from '../../audit/audit-entry.ts';
import { nameSchemas } from './operation.ts';

/** Enumerations of several requests and responses. */
export const channel = z.enum(channels);
export const columnClass = z.enum(['categorical', 'numeric']);
export const permission = z.enum(permissions);

nameSchemas({ Channel: channel, ColumnClass: columnClass, Permission: permission });
