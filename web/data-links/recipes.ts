import { type FileFormat, fileFormats } from '../../src/core/file-format.ts';
import { curlOf, keyFromVariable, quoteForShell } from '../components/copy/curl.ts';
import { KEY_VARIABLE } from '../components/copy/key-variable.ts';
import { type DataAddress, fileNameOf } from './data-address.ts';

/** How a program reads an address. The same texts are in docs/data.md. */
export interface Recipe {
  readonly id: string;
  readonly label: string;
  readonly formats: readonly FileFormat[]; // that the program reads
  readonly signsInWith: 'password' | 'key' | null; // null: it reads links only
  readonly steps: (address: DataAddress) => string;
  readonly write: (address: DataAddress) => string;
  readonly savedAs?: string; // the ending of a file to open instead of a text to paste
}

export const recipes = [
  {
    id: 'excel',
    label: 'Excel',
    formats: ['csv', 'xlsx', 'json'],
    signsInWith: 'password',
    steps: (address) =>
      `Choose Data → Get Data → From Other Sources → Blank Query, open the Advanced Editor and paste this. ${signIn(address, 'Excel')}`,
    write: powerQuery,
  },
  {
    id: 'sheets',
    label: 'Google Sheets',
    formats: ['csv'],
    signsInWith: null,
    steps: () => 'Paste this into an empty cell. Google must be able to reach the address, and reads it about once an hour.',
    write: ({ url }) => `=IMPORTDATA(${doubled(url)})`,
  },
  {
    id: 'power-bi',
    label: 'Power BI',
    formats: ['csv', 'xlsx', 'json'],
    signsInWith: 'password',
    steps: (address) => `Open this file in Power BI Desktop. ${signIn(address, 'Power BI')}`,
    write: ({ url }) =>
      JSON.stringify(
        { version: '0.1', connections: [{ details: { protocol: 'http', address: { url } }, options: {}, mode: 'Import' }] },
        null,
        2,
      ),
    savedAs: 'pbids',
  },
  {
    id: 'duckdb',
    label: 'DuckDB',
    formats: ['parquet', 'csv'],
    signsInWith: 'key',
    steps: ({ isLink }) => `Uses the extension httpfs.${isLink ? '' : ` Replace ${API_KEY} with a key from ${KEYS}.`}`,
    write: duckDb,
  },
  {
    id: 'pandas',
    label: 'pandas',
    formats: fileFormats,
    signsInWith: 'key',
    steps: keyText,
    write: pandas,
  },
  { id: 'r', label: 'R', formats: fileFormats, signsInWith: 'key', steps: keyText, write: r },
  { id: 'curl', label: 'curl', formats: fileFormats, signsInWith: 'key', steps: keyText, write: curl },
] as const satisfies readonly Recipe[];

const API_KEY = '<API_KEY>';
const KEYS = 'My Account → API Keys';

const signIn = ({ isLink }: DataAddress, program: string): string =>
  `When ${program} asks how to connect, choose ${isLink ? 'Anonymous' : 'Basic and enter your user name and password'}.`;

function keyText({ isLink }: DataAddress): string {
  return isLink ? '' : `Set the environment variable ${KEY_VARIABLE} to a key from ${KEYS}.`;
}

/** The language of Power Query. Without a credential in the text, Excel asks for one and keeps it. */
function powerQuery({ url, format }: DataAddress): string {
  const file = `Web.Contents(${doubled(url).replaceAll('#(', '#(#)(')})`;
  if (format === 'json') return steps(`Table.FromRecords(Json.Document(${file}))`);
  if (format === 'xlsx') return steps(`Excel.Workbook(${file}, true)`, 'Source{0}[Data]');
  return steps(
    `Csv.Document(${file},\n        [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv])`,
    'Table.PromoteHeaders(Source, [PromoteAllScalars = true])',
  );
}

const steps = (source: string, rows?: string): string =>
  rows === undefined
    ? `let\n    Source = ${source}\nin\n    Source`
    : `let\n    Source = ${source},\n    Rows = ${rows}\nin\n    Rows`;

/** The secret has no other servers in its scope, so that DuckDB sends the key to this one only. */
function duckDb({ url, format, isLink }: DataAddress): string {
  const select = `SELECT * FROM read_${format}(${singleQuoted(url)});`;
  if (isLink) return select;
  const scope = url.slice(0, url.lastIndexOf('/', url.split('?')[0]?.length) + 1);
  return `CREATE OR REPLACE SECRET sluice (
  TYPE http,
  SCOPE ${singleQuoted(scope)},
  EXTRA_HTTP_HEADERS MAP {'X-API-Key': '${API_KEY}'}
);
${select}`;
}

const pandasReaders: Readonly<Record<FileFormat, { readonly name: string; readonly options?: string }>> = {
  csv: { name: 'read_csv' },
  json: { name: 'read_json' },
  ndjson: { name: 'read_json', options: 'lines=True' },
  xlsx: { name: 'read_excel' },
  parquet: { name: 'read_parquet' },
};

function pandas({ url, format, isLink }: DataAddress): string {
  const { name, options } = pandasReaders[format];
  const key = `storage_options={"X-API-Key": os.environ["${KEY_VARIABLE}"]}`;
  const passed = [JSON.stringify(url), ...(options === undefined ? [] : [options]), ...(isLink ? [] : [key])];
  return `${isLink ? '' : 'import os\n'}import pandas as pd

rows = pd.${name}(
${passed.map((each) => `    ${each},`).join('\n')}
)`;
}

const rReaders: Readonly<Record<FileFormat, string>> = {
  csv: 'read.csv(path, check.names = FALSE, encoding = "UTF-8")',
  json: 'jsonlite::fromJSON(path)',
  ndjson: 'jsonlite::stream_in(file(path))',
  xlsx: 'readxl::read_excel(path)',
  parquet: 'arrow::read_parquet(path)',
};

/** Downloads the file first, because not every reader can send a header. */
function r({ url, format, isLink }: DataAddress): string {
  const headers = `,\n  headers = c("X-API-Key" = Sys.getenv("${KEY_VARIABLE}"))`;
  return `path <- tempfile(fileext = ".${format}")
download.file(${JSON.stringify(url)}, path, mode = "wb"${isLink ? '' : headers})
rows <- ${rReaders[format]}`;
}

function curl(address: DataAddress): string {
  const headers: Record<string, string> = address.isLink ? {} : { 'X-API-Key': keyFromVariable };
  const call = curlOf({ method: 'GET', url: address.url, headers, body: null });
  return `${call} \\\n  --fail --compressed --output ${quoteForShell(fileNameOf(address))}`;
}

const doubled = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const singleQuoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
