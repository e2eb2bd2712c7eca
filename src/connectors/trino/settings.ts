import { z } from 'zod';
import { type NetworkSettings, networkSettings, withField } from '../network/network-engine.ts';

export interface TrinoSettings extends Omit<NetworkSettings, 'database'>, z.output<typeof settings> {
  readonly catalog: string;
}

// the settings are sent as headers
const headerText = (what: string) =>
  z
    .string({ error: `Name the ${what}.` })
    .min(1, `Name the ${what}.`)
    .max(255)
    .refine((text) => /^[\x20-\x7e]*$/.test(text), 'Only printable ASCII characters are allowed.');

export const connectionFields = {
  host: headerText('host').refine((host) => /^[\w.:-]*$/.test(host), 'A host name or an address, without a path.'),
  user: headerText('user').refine((user) => !user.includes(':'), 'A colon is not allowed.'),
  password: z.string({ error: 'The password is a text.' }).default(''),
  database: headerText('catalog'),
};

const sessionProperties = z.record(
  z.string().regex(/^[\w.]+$/, 'Session properties have names of letters, digits, dots and underscores.'),
  z.string(),
);

export const settings = networkSettings.extend({
  schema: withField(headerText('schema').optional(), {
    label: 'Schema',
    description: 'Default schema for tables.',
    input: 'text',
  }),
  timeZone: withField(headerText('time zone').default('UTC'), {
    label: 'Time zone',
    description: 'For times without a time zone.',
    input: 'text',
    placeholder: 'UTC',
  }),
  session: withField(sessionProperties.default({}), {
    label: 'Session properties',
    description: 'One per line: name=value.',
    input: 'properties',
  }),
});
