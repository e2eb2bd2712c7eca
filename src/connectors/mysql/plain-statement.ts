import { LRUCache } from 'lru-cache';
import { type SqlToken, sqlTokens } from '../../catalog/sql-tokens.ts';
import { dialect } from './dialect.ts';

/**
 * A plain statement neither changes nor reads the state of its session: it has no variables, only functions of the server without
 * effects, and only tables, no views, since a view may call a function. Its text shows all but the last, which needs a query: the one that
 * is returned finds a row if a name in the text may be a view. Undefined for other statements; the list of functions is not complete.
 */
export function viewSearchOf(sql: string): string | undefined {
  const known = searches.get(sql) ?? { search: oddBlank.test(sql) ? undefined : findViewSearch(sqlTokens(sql, dialect)) };
  searches.set(sql, known);
  return known.search;
}

const searches = new LRUCache<string, { readonly search: string | undefined }>({ max: 500 });

/** The server reads them as parts of names. */
const oddBlank = /[^\S \t\r\n\v\f]/;

function findViewSearch(tokens: readonly SqlToken[]): string | undefined {
  const names = new Set<string>();
  const qualifiers = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    const name = nameOf(token);
    if (name === undefined && !isPlainText(token)) return undefined;
    if (name === undefined) continue;
    const next = tokens[index + 1];
    if (stateful.has(name.toLowerCase())) return undefined;
    if (next?.text === '(' && !isPlainCall(token, next, tokens[index - 1])) return undefined;
    names.add(name);
    if (next?.text === '.') qualifiers.add(name);
  }
  const list = (found: ReadonlySet<string>): string => [...found].map((name) => `'${name}'`).join();
  const views = `SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${list(names)})
    AND TABLE_TYPE NOT IN ('BASE TABLE', 'SYSTEM VERSIONED')`;
  if (qualifiers.size === 0) return views;
  // the tables of other databases are not looked up
  return `${views} UNION ALL SELECT 1 FROM information_schema.SCHEMATA
    WHERE SCHEMA_NAME IN (${list(qualifiers)}) AND BINARY SCHEMA_NAME <> BINARY DATABASE()`;
}

const simpleName = /^[\w$]+$/;

/** A word, or a name in backticks, of simple characters. */
function nameOf({ type, text }: SqlToken): string | undefined {
  const name = type === 'word' ? text : type === 'quoted' && text.startsWith('`') ? text.slice(1, -1) : '';
  return simpleName.test(name) ? name : undefined;
}

/** A string, or a symbol that is no part of a name or variable. */
const isPlainText = ({ type, text }: SqlToken): boolean =>
  type === 'quoted' ? !text.startsWith('`') : type === 'symbol' && /^[-()+*/%,.;=<>!&|^~?]$/.test(text);

/** With a blank before the parenthesis, or after a qualifier, the name of a function of the server may be that of another one. */
function isPlainCall(word: SqlToken, parenthesis: SqlToken, before: SqlToken | undefined): boolean {
  if (word.type !== 'word' || before?.text === '.') return false;
  const name = word.text.toLowerCase();
  if (name === 'datetime') return before?.text.toLowerCase() === 'as'; // the type of a cast
  return reserved.has(name) || (word.end === parenthesis.start && functions.has(name));
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** They read or change what a session keeps, or lock rows, without parentheses. `FOR`: `NEXT VALUE FOR`, `FOR UPDATE`. */
const stateful = wordsOf('for into lock procedure sql_calc_found_rows current_role nextval lastval');

/** Reserved words, which no function is named after. */
const reserved = wordsOf(
  `all and as between by case distinct div else exists from group having in inner is join left like limit mod not on or
  order outer over right select then union using values when where with xor`,
);

const functions = wordsOf(
  `abs acos adddate ascii asin atan atan2 avg bin bit_and bit_count bit_length bit_or bit_xor cast ceil ceiling char char_length
  character_length coalesce concat concat_ws convert cos cot count crc32 cume_dist curdate curtime date date_add date_format date_sub
  datediff day dayname dayofmonth dayofweek dayofyear decimal degrees dense_rank elt exp extract field find_in_set first_value
  floor format from_base64 from_days from_unixtime greatest group_concat hex hour if ifnull inet6_aton inet6_ntoa inet_aton inet_ntoa insert
  instr json_array json_arrayagg json_contains json_contains_path json_extract json_keys json_length json_object json_objectagg json_quote
  json_search json_type json_unquote json_valid lag last_day last_value lcase lead least left length ln locate log log10 log2
  lower lpad ltrim makedate maketime max md5 microsecond mid min minute mod month monthname now nth_value ntile nullif octet_length ord
  percent_rank period_add period_diff pi position pow power quarter radians rank regexp_instr regexp_replace regexp_substr repeat replace
  reverse right round row_number rpad rtrim sec_to_time second sha1 sha2 sign sin space sqrt std stddev stddev_pop stddev_samp
  str_to_date strcmp subdate substr substring substring_index sum tan time time_format time_to_sec timediff timestamp timestampadd
  timestampdiff to_base64 to_days to_seconds trim truncate ucase unhex unix_timestamp upper utc_date utc_time utc_timestamp var_pop
  var_samp variance week weekday weekofyear year yearweek`,
);
