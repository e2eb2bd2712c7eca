import { expect, test } from 'vitest';
import { Problem, problemOf } from '../../app/problem.ts';
import { nameItems } from '../../components/fields/field-errors.ts';
import { emptyApplication, toApplicationBody } from './application-values.ts';

test('sends an address for each line, without spaces and empty lines', () => {
  const values = { ...emptyApplication, name: ' Assistant ', redirectUris: ' https://a.example/cb \n\nassistant://cb\r\n' };
  expect(toApplicationBody(values)).toEqual({
    name: 'Assistant',
    redirectUris: ['https://a.example/cb', 'assistant://cb'],
    tokenEndpointAuthMethod: 'none',
  });
});

test('asks for a secret for confidential and for managed applications', () => {
  const of = (change: Partial<typeof emptyApplication>) => toApplicationBody({ ...emptyApplication, ...change });
  expect(of({ kind: 'confidential' })).toMatchObject({ tokenEndpointAuthMethod: 'client_secret_basic' });
  expect(of({ managed: 'all' })).toMatchObject({ tokenEndpointAuthMethod: 'client_secret_basic', managed: true });
  expect(of({ managed: 'some', queries: ['QD_a_Demo'] })).toMatchObject({ managed: ['QD_a_Demo'] });
});

test('names the address that an error is about', () => {
  const fields = [
    { field: 'redirectUris.1', message: 'Expected https.' },
    { field: 'name', message: 'Required.' },
  ];
  const error = new Problem({ status: 400, code: 'field_invalid', message: 'No.', fields });
  expect(problemOf(nameItems(error, { redirectUris: ['https://a.example', 'ftp://b.example'] })).fields).toEqual([
    { field: 'redirectUris', message: 'ftp://b.example: Expected https.' },
    { field: 'name', message: 'Required.' },
  ]);
});
