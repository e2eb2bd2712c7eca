import { expect, it } from 'vitest';
import { ConnectorError } from '../../connectors/connector.ts';
import { connectionProblem } from './database-probe.ts';

const failing = (message: string, cause: unknown) => new ConnectorError('unavailable', message, { cause });
const withCode = (code: string, message: string) => Object.assign(new Error(message), { code });

it('explains the errors of all addresses of a host', () => {
  const each = ['::1', '127.0.0.1'].map((address) => withCode('ECONNREFUSED', `connect ECONNREFUSED ${address}:5432`));
  expect(connectionProblem(failing('refused', new AggregateError(each)))).toEqual({
    message: expect.stringContaining('Nothing accepts connections'),
    detail: 'refused',
  });
});

it('finds the code in a cause', () => {
  const cause = new Error('Failed to connect', { cause: withCode('CERT_HAS_EXPIRED', 'certificate has expired') });
  expect(connectionProblem(failing('Failed to connect', cause))).toEqual({
    message: 'The certificate of the server has expired. Renew it on the server.',
    detail: 'Failed to connect',
  });
});

it('keeps unknown texts of drivers as detail, and our own as message', () => {
  expect(connectionProblem(failing('0x80004005', new Error('0x80004005')))).toEqual({
    message: 'The connection failed with an error of the database or its driver.',
    detail: '0x80004005',
  });
  expect(connectionProblem(new ConnectorError('unavailable', 'Name the host.'))).toEqual({ message: 'Name the host.' });
});
