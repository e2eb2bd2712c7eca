import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type DataAddress, ownAddress } from './data-address.ts';
import { type Recipe, recipes } from './recipes.ts';

const session = { baseUrl: 'https://data.example.com/sluice' };
const own = ownAddress(session, 'QD_Sales_Demo', 'csv', { '@Region': 'North America' });
const link: DataAddress = { url: 'https://data.example.com/sluice/data/t0k.en/Sales-2026.csv', format: 'csv', isLink: true };
const write = (id: (typeof recipes)[number]['id'], address: DataAddress): string =>
  recipes.find((each) => each.id === id)?.write(address) ?? '';

test('writes values into the address so that no program, formula or shell changes them', () => {
  const values = { '@Größe': `a"b'c & d%e=#(lf)?*!`, '@Cities': ['São Paulo', '東京', null], '@Empty': '', '@None': null };
  const { url } = ownAddress(session, "QD_It's_100%_Demo", 'parquet', values);
  const { pathname, searchParams } = new URL(url);
  expect(decodeURIComponent(pathname)).toBe("/sluice/data/QD_It's_100%_Demo.parquet");
  expect([...searchParams]).toEqual([
    ['Größe', `a"b'c & d%e=#(lf)?*!`],
    ['Cities', 'São Paulo'],
    ['Cities', '東京'],
    ['Empty', ''],
  ]);
  expect(url).toMatch(/^[\w:/.%?=&-]+$/);
});

test('writes no question mark without values', () => {
  expect(ownAddress(session, 'QD_Sales_Demo', 'csv', {}).url).toBe('https://data.example.com/sluice/data/QD_Sales_Demo.csv');
});

test('lets Excel ask for the credential', () => {
  expect(write('excel', own)).toBe(`let
    Source = Csv.Document(Web.Contents("https://data.example.com/sluice/data/QD_Sales_Demo.csv?Region=North%20America"),
        [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),
    Rows = Table.PromoteHeaders(Source, [PromoteAllScalars = true])
in
    Rows`);
  expect(write('excel', { ...link, format: 'xlsx' })).toContain('Source{0}[Data]');
  expect(write('excel', { ...link, format: 'json' })).toContain('Table.FromRecords(Json.Document(Web.Contents("');
  expect(write('excel', { ...link, url: 'https://x/"#(lf)' })).toContain('Web.Contents("https://x/""#(#)(lf)")');
});

test('says which credential Excel and Power BI ask for', () => {
  const [excel, , powerBi]: readonly Recipe[] = recipes;
  expect(excel?.steps(own)).toContain('choose Basic');
  expect(powerBi?.steps(link)).toContain('choose Anonymous');
});

test('writes a formula for Google Sheets', () => {
  expect(write('sheets', link)).toBe('=IMPORTDATA("https://data.example.com/sluice/data/t0k.en/Sales-2026.csv")');
  expect(write('sheets', { ...link, url: 'https://x/a"b' })).toBe('=IMPORTDATA("https://x/a""b")');
});

test('writes a data source file for Power BI', () => {
  expect(JSON.parse(write('power-bi', own))).toEqual({
    version: '0.1',
    connections: [{ details: { protocol: 'http', address: { url: own.url } }, options: {}, mode: 'Import' }],
  });
});

test('gives DuckDB a key for this service only', () => {
  expect(write('duckdb', own)).toBe(`CREATE OR REPLACE SECRET sluice (
  TYPE http,
  SCOPE 'https://data.example.com/sluice/data/',
  EXTRA_HTTP_HEADERS MAP {'X-API-Key': '<API_KEY>'}
);
SELECT * FROM read_csv('https://data.example.com/sluice/data/QD_Sales_Demo.csv?Region=North%20America');`);
  const slashed = ownAddress(session, 'QD_Sales_Demo', 'csv', { '@Path': 'a/b' });
  expect(write('duckdb', { ...slashed, url: slashed.url.replace('%2F', '/') })).toContain(
    "SCOPE 'https://data.example.com/sluice/data/'",
  );
  expect(write('duckdb', { ...link, url: "https://x/it's.parquet", format: 'parquet' })).toBe(
    "SELECT * FROM read_parquet('https://x/it''s.parquet');",
  );
});

test('reads the key from an environment variable in pandas, R and curl', () => {
  expect(write('pandas', own)).toBe(`import os
import pandas as pd

rows = pd.read_csv(
    "https://data.example.com/sluice/data/QD_Sales_Demo.csv?Region=North%20America",
    storage_options={"X-API-Key": os.environ["SLUICE_API_KEY"]},
)`);
  expect(write('r', own)).toBe(`path <- tempfile(fileext = ".csv")
download.file("https://data.example.com/sluice/data/QD_Sales_Demo.csv?Region=North%20America", path, mode = "wb",
  headers = c("X-API-Key" = Sys.getenv("SLUICE_API_KEY")))
rows <- read.csv(path, check.names = FALSE, encoding = "UTF-8")`);
  expect(write('curl', own)).toBe(`curl 'https://data.example.com/sluice/data/QD_Sales_Demo.csv?Region=North%20America' \\
  -H "X-API-Key: $SLUICE_API_KEY" \\
  --fail --compressed --output 'QD_Sales_Demo.csv'`);
});

test('writes no key for a link', () => {
  for (const { write: writeRecipe, steps } of recipes as readonly Recipe[]) {
    expect(`${writeRecipe(link)} ${steps(link)}`).not.toMatch(/key/i);
    expect(writeRecipe(link)).toContain(link.url);
  }
});

test('saves a link with curl under the name in its address', () => {
  const url = "https://x/data/t/%C3%9Cbersicht's%20100%25.csv".replace("'", '%27');
  expect(write('curl', { ...link, url })).toContain(`--output 'Übersicht'\\''s 100%.csv'`);
});

test('reads each format with a reader of its own', () => {
  const readers = (id: 'pandas' | 'r') =>
    (['csv', 'json', 'ndjson', 'xlsx', 'parquet'] as const).map((format) => write(id, { ...link, format }));
  expect(readers('pandas').map((text) => /pd\.\w+/.exec(text)?.[0])).toEqual([
    'pd.read_csv',
    'pd.read_json',
    'pd.read_json',
    'pd.read_excel',
    'pd.read_parquet',
  ]);
  expect(new Set(readers('r').map((text) => text.split('rows <- ')[1])).size).toBe(5);
});

test('is documented with the same texts', () => {
  const documented = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'data.md'), 'utf8');
  const base = 'https://sluice.example.com';
  for (const { id, formats, signsInWith, write: writeRecipe } of recipes as readonly Recipe[]) {
    const [format = 'csv'] = formats;
    const sales: DataAddress = { url: `${base}/data/L…/Sales.${format}`, format, isLink: true };
    const address = signsInWith === null ? sales : ownAddress({ baseUrl: base }, 'QD_Sales_by_region_Demo', format, {});
    expect(documented, id).toContain(`\n${writeRecipe(address)}\n\`\`\`\n`);
  }
});
