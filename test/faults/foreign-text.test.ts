import { describe, expect, test } from 'vitest';
import { redactKeys } from '../../src/access/api-key.ts';
import { toLocalPath } from '../../src/access/oidc.ts';
import { castValue } from '../../src/catalog/cast/cast.ts';
import { findClosestName } from '../../src/catalog/closest-name.ts';
import { checkPlaceholders, renderPlaceholders } from '../../src/catalog/placeholders.ts';
import { parseRelativeMoment } from '../../src/catalog/relative-moment.ts';
import { parseSqlType } from '../../src/catalog/sql-type.ts';
import { technicalName } from '../../src/catalog/technical-name.ts';
import { toNumber, toPrintable, toTime } from '../../src/charts/cell-values.ts';
import { joinLines } from '../../src/connectors/error-text.ts';
import { refuseAllButChange, refuseAllButQuery } from '../../src/connectors/sqlserver/describe.ts';
import { inputRefused } from '../../src/core/errors.ts';
import { sheetNamesOf } from '../../src/results/encode/xlsx/workbook-parts.ts';
import { fileNameOf } from '../../src/results/file-name.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { dialects } from '../support/queries/dialects.ts';

// the long form: TEST_FOREIGN_TEXT=262144, the size of a body
const BODY = Number(process.env.TEST_FOREIGN_TEXT ?? 64 << 10);
const VALUE = Math.min(32 << 10, BODY / 4);
const LIMIT_MS = 2000; // in the long form, a quadratic function takes a minute

const declared = Array.from({ length: 100 }, (_, n) => ({ name: `@Declared${n}` }));
const attempt = (work: () => unknown): unknown => {
  try {
    return work();
  } catch {
    return null; // a refusal
  }
};

/** Functions that read the text of a value. */
const types = [
  'nvarchar',
  'int',
  'decimal(38,10)',
  'float',
  'bit',
  'date',
  'datetime',
  'datetimeoffset',
  'time',
  'uuid',
  'json',
  'binary',
];
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(
    types.map((spelling) => {
      const type = parseSqlType(spelling);
      if (type === null) throw new Error(spelling);
      return [`cast to ${spelling}`, (text: string) => castValue(text, type)];
    }),
  ),
  'spelling of a type': parseSqlType,
  'relative moment': parseRelativeMoment,
  'closest name': (text) =>
    findClosestName(
      text,
      declared.map(({ name }) => name),
    ),
  'technical name': (text) => technicalName('QD', text, text),
  'file name': (text) => fileNameOf(text, 'csv'),
  'sheet name': (text) => sheetNamesOf(text)(0),
  'keys in a text': redactKeys,
  'a local path': toLocalPath,
  'one line': joinLines,
  'number in a chart': toNumber,
  'time in a chart': toTime,
  'label of a chart': toPrintable,
};

/** Functions that read SQL. */
const sqlReaders: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(
    dialects.flatMap((dialect) => [
      [
        `placeholders (${dialect.name})`,
        (text: string) => renderPlaceholders(text, dialect, new Map(declared.map(({ name }) => [name, name])), String),
      ],
      [`declarations (${dialect.name})`, (text: string) => inputRefused(checkPlaceholders(text, text, dialect, declared))],
    ]),
  ),
  'one query (sqlserver)': (text) => attempt(() => refuseAllButQuery(text)),
  'one change (sqlserver)': (text) => attempt(() => refuseAllButChange(text)),
};

const pieces = [
  'a',
  '0',
  ' ',
  '.',
  '-',
  '@',
  '$',
  "'",
  '"',
  '/*',
  '*/',
  '--',
  '(',
  '[',
  ']',
  '\\',
  '{',
  '%',
  '\n',
  '\0',
  '\u0301',
  'slc_',
];
const pairs = [
  'a ',
  '@a',
  '@a ',
  '$a',
  '$a$',
  "'a",
  '@@',
  '<@',
  'a@',
  '0.',
  '-0',
  '1e',
  '+1d',
  'aé',
  'a\u0301',
  '/*a',
  '[a',
  ']]',
  "e'",
  ' \n',
  '=1,',
  '../',
  'slc_aaaaaaaa_',
];
const texts = (length: number): readonly string[] =>
  [...pieces, ...pairs].flatMap((piece) => {
    const run = piece.repeat(Math.floor(length / piece.length) - 16);
    return ['', '1', '2026-01-01T00:00:00.', 'now', 'select '].flatMap((start) => [start + run, `${start}${run}!`]);
  });
const names = (length: number): string =>
  Array.from({ length: length / 8 }, (_, n) => `@n${n}`)
    .join(' ')
    .slice(0, length);

describe('text of a caller', () => {
  const slowest = { name: '', ms: 0 };
  const measure = (name: string, read: (text: string) => unknown, text: string): void => {
    const before = process.threadCpuUsage();
    read(text);
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    if (ms > slowest.ms) Object.assign(slowest, { name, ms });
    expect(ms, JSON.stringify(text.slice(0, 30))).toBeLessThan(LIMIT_MS);
  };

  test.each(Object.entries(readers))('of the length of a value is read in linear time: %s', (name, read) => {
    for (const text of texts(VALUE)) measure(name, read, text);
  });

  test.each(Object.entries(sqlReaders))('of the length of a body is read in linear time: %s', (name, read) => {
    for (const text of [...[...pieces, ...pairs].map((each) => each.repeat(Math.floor(BODY / each.length))), names(BODY)])
      measure(name, read, text);
  });

  test('reports the slowest', () =>
    reportFigure(48, `the slowest reader of ${BODY >> 10} KiB: ${slowest.name}, ${slowest.ms.toFixed(0)} ms`));
});
