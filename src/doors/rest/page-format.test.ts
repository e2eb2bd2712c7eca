import { describe, expect, it } from 'vitest';
import { readInjected } from '../../../test/support/http/request-of.ts';
import { failureTable } from '../../core/errors.ts';
import { readPageForm, readShortForm } from './page-format.ts';

const json = { 'content-type': 'application/json' };
const page = (body: unknown, headers: Record<string, string> = {}) =>
  readInjected((request) => readPageForm(request, 'any json'), { payload: text(body), headers: { ...json, ...headers } });
const short = (body: unknown, headers: Record<string, string> = {}) =>
  readInjected((request) => readShortForm(request, 'any json', 'QD_A'), {
    payload: text(body),
    headers: { ...json, ...headers },
  });
const text = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));
const plain = { QueryName: 'QD_A', Parameters: [] };

describe('the body of docs/spec.md 4.1', () => {
  it('has a query and parameters, whose values are converted to text', async () => {
    const body = `{"QueryName":"QD_A","Parameters":[
      {"ParameterName":"@A","Value":"x","DataType":"nvarchar"},
      {"ParameterName":"@B","Value":12345678901234567890},
      {"ParameterName":"@C","Value":true,"DataType":null},
      {"ParameterName":"@D","Value":null},
      {"ParameterName":"@E"}]}`;
    expect(await page(body)).toEqual({
      ok: true,
      value: {
        run: { queryName: 'QD_A' },
        parameters: [
          { ParameterName: '@A', Value: 'x', DataType: 'nvarchar' },
          { ParameterName: '@B', Value: '12345678901234567890', DataType: undefined },
          { ParameterName: '@C', Value: 'true', DataType: undefined },
          { ParameterName: '@D', Value: null, DataType: undefined },
          { ParameterName: '@E', Value: undefined, DataType: undefined },
        ],
      },
    });
  });

  it.each([
    [{ QueryName: '', Parameters: [] }, 'QueryName'],
    [{ QueryName: null, Parameters: [] }, 'QueryName'],
    [{ QueryName: 'QD_A' }, 'Parameters'],
    [{ QueryName: 'QD_A', Parameters: [{ Value: 'x' }] }, 'Parameters.0.ParameterName'],
  ])('%j lacks %s', async (body, field) => {
    expect(await page(body)).toMatchObject({ ok: false, failure: { kind: 'FieldMissing', problems: [{ field }] } });
  });

  it.each([
    [{ ...plain, QueryName: 5 }, 'QueryName'],
    [{ ...plain, Parameters: '[]' }, 'Parameters'],
    [{ ...plain, Parameters: ['x'] }, 'Parameters.0'],
    [{ ...plain, Parameters: [{ ParameterName: 5, Value: '' }] }, 'Parameters.0.ParameterName'],
    [{ ...plain, Parameters: [{ ParameterName: '@A', Value: {} }] }, '@A'],
    [{ ...plain, Parameters: [{ ParameterName: '@A', Value: [{}] }] }, '@A'],
    [{ ...plain, Parameters: [{ ParameterName: '@A', Value: '', DataType: 1 }] }, '@A'],
  ])('%j is wrong at %s', async (body, field) => {
    expect(await page(body)).toMatchObject({ ok: false, failure: { problems: [{ field }] } });
  });

  it.each(['[]', 'null', '"x"', '1'])('cannot be %s', async (body) => {
    expect(await page(body)).toMatchObject({ failure: { kind: 'BodyInvalid' } });
  });
});

describe('the paging headers', () => {
  it('are decimal integers, and count as absent if empty', async () => {
    const paged = await page(plain, { RowIndex: '20', RowSize: ' 010 ', QueryMoreCode: 'Axyz' });
    expect(paged).toMatchObject({ value: { rowIndex: 20, rowSize: 10, continue: 'Axyz' } });
    const empty = await page(plain, { RowIndex: '', RowSize: '', QueryMoreCode: '' });
    expect(empty).toEqual({ ok: true, value: { run: { queryName: 'QD_A' }, parameters: [] } });
  });

  it.each([
    ['RowIndex', '-1'],
    ['RowIndex', '1.5'],
    ['RowIndex', '1e3'],
    ['RowIndex', '0x10'],
    ['RowIndex', '+1'],
    ['RowIndex', '1, 2'],
    ['RowSize', '0'],
    ['RowSize', 'ten'],
    ['RowSize', '١٠'],
  ])('%s cannot be %s', async (field, value) => {
    const result = await page(plain, { [field]: Buffer.from(value).toString('latin1') });
    expect(result).toMatchObject({ failure: { kind: 'FieldInvalid', problems: [{ field }] } });
    expect(failureTable.FieldInvalid.status).toBe(400);
  });
});

it('accept a row index past the end', async () => {
  const most = { value: { rowIndex: Number.MAX_SAFE_INTEGER } };
  expect(await page(plain, { RowIndex: '9'.repeat(400) })).toMatchObject(most);
  expect(await short('{"rowIndex":99999999999999999999}')).toMatchObject(most);
});

describe('the short form', () => {
  it('accepts parameters as a list, by name, or none', async () => {
    const listed = await short('{"parameters":[{"parameterName":"@A","value":0.10,"dataType":"decimal(5,2)"}]}');
    expect(listed).toMatchObject({
      value: { run: { queryName: 'QD_A' }, parameters: [{ ParameterName: '@A', Value: '0.10', DataType: 'decimal(5,2)' }] },
    });
    const named = await short('{"parameters":{"@A":1e2,"@B":false,"@C":null,"@D":"x"}}');
    const values = named.ok ? named.value.parameters?.map((each) => [each.ParameterName, each.Value]) : [];
    expect(values).toEqual([
      ['@A', '1e2'],
      ['@B', 'false'],
      ['@C', null],
      ['@D', 'x'],
    ]);
    expect(await short({})).toEqual({ ok: true, value: { run: { queryName: 'QD_A' }, parameters: [] } });
    expect(await short({ parameters: null })).toMatchObject({ ok: true });
  });

  it('reads paging from the body, or else from the headers', async () => {
    const headers = { RowIndex: '5', RowSize: '6', QueryMoreCode: 'Aheader' };
    expect(await short({ rowIndex: 0, rowSize: 2, queryMoreCode: 'Abody' }, headers)).toMatchObject({
      value: { rowIndex: 0, rowSize: 2, continue: 'Abody' },
    });
    expect(await short({ rowIndex: null }, headers)).toMatchObject({ value: { rowIndex: 5, rowSize: 6, continue: 'Aheader' } });
  });

  it.each([
    [{ rowIndex: -1 }, 'rowIndex'],
    [{ rowSize: 0 }, 'rowSize'],
    [{ rowSize: 1.5 }, 'rowSize'],
    [{ rowSize: true }, 'rowSize'],
    [{ rowIndex: [1] }, 'rowIndex'],
    [{ queryMoreCode: 5 }, 'queryMoreCode'],
    [{ parameters: 'x' }, 'parameters'],
    [{ parameters: { '@A': {} } }, '@A'],
  ])('%j is wrong at %s', async (body, field) => {
    expect(await short(body)).toMatchObject({ failure: { problems: [{ field }] } });
  });

  it('treats property names of Object.prototype as ordinary names', async () => {
    const result = await short('{"parameters":{"__proto__":"x","constructor":"y"}}');
    expect(result.ok && result.value.parameters?.map((each) => each.ParameterName)).toEqual(['__proto__', 'constructor']);
  });
});
