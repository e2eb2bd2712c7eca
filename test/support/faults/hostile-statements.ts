export interface HostileStatement {
  readonly database: string;
  readonly sql: string;
}

/** SQL that uses excessive memory and time of an embedded engine. `slow` ones reach the timeout of a preview. */
export function createHostileStatements(
  databases: { readonly duckdb: string; readonly sqlite: string },
  { slow }: { readonly slow: boolean },
): readonly [HostileStatement, ...HostileStatement[]] {
  const on = (database: string, texts: readonly string[]) => texts.map((sql) => ({ database, sql }));
  return [
    { database: databases.duckdb, sql: "select length(repeat('abcdefghij', 400000000))" },
    ...on(databases.duckdb, [...quickOnDuckdb, ...(slow ? slowOnDuckdb : [])]),
    ...on(databases.sqlite, [...quickOnSqlite, ...(slow ? slowOnSqlite : [])]),
  ];
}

const nestSelect = (depth: number): string => `select ${'('.repeat(depth)}1${')'.repeat(depth)}`;
const sum = (terms: number): string => `select ${Array(terms).fill('1').join('+')}`;
const columns = (count: number, cell: string): string =>
  `select ${Array.from({ length: count }, (_, index) => `${cell} as c${index}`).join(',')}`;
const countRecursively = (limit: string): string => `with recursive s(n) as (select 1 union all select n + 1 from s ${limit})`;

const quickOnDuckdb = [
  'select range(800000000)',
  'select list_sum(range(800000000))',
  "with recursive t(s) as (select 'x' union all select s || s from t) select max(length(s)) from t",
  nestSelect(20_000),
  sum(20_000),
  "select regexp_replace(repeat('a', 50000000), '(a*)*b', 'x')",
  "select string_agg(repeat('x', 1000000), '') from range(100000)",
  "select repeat('x', 10000000) from range(10000)",
  "select map_from_entries(list({k: i, v: repeat('x', 1000)})) from range(10000000) t(i)",
  columns(2000, "repeat('x', 1000000)"),
  "select printf('%2000000000d', 1)",
  'select array_agg(i) from range(2000000000) t(i)',
  'select list_sort(range(50000000))',
];

const slowOnDuckdb = [
  `${countRecursively('')} select count(*) from s`,
  "select lpad('x', 2000000000, 'y')",
  "select bitstring('1', 2000000000)",
  "select levenshtein(repeat('a', 400000), repeat('b', 400000))",
  'select * from range(1000000000) a, range(1000000000) b order by random()',
  'select count(distinct a.range * b.range) from range(100000) a, range(100000) b',
  'select histogram(i) from range(1000000000) t(i)',
];

const quickOnSqlite = [
  columns(60, 'randomblob(60000000)'),
  'select hex(zeroblob(60000000))',
  nestSelect(20_000),
  sum(20_000),
  'select replace(hex(zeroblob(30000000)), 0, hex(zeroblob(1000)))',
  "select printf('%.*c', 2000000000, 'x')",
  "select hex(randomblob(20000000)) glob '*a*a*a*a*a*a*a*a*b'",
];

const slowOnSqlite = [
  `${countRecursively('')} select count(*) from s`,
  `${countRecursively('limit 100000')} select group_concat(hex(zeroblob(1000000))) from s`,
  `${countRecursively('limit 100000000')} select json_group_array(n) from s`,
  `${countRecursively('limit 3000')} select hex(randomblob(500000)) as h from s order by h`,
];
