const EXPRESSIONS =
  'now, today, yesterday, tomorrow, week-start, month-start, quarter-start, year-start or the same with -end, moved by units of s, m, h, d, w, mo, q or y, as in today-7d';

/** What to write instead of words such as `last month`, with a leading blank; empty if the text has no words. */
export function momentAdvice(text: string): string {
  if (!/[a-z]{3}/i.test(text) || /^\s*\d{4}-\d/.test(text)) return '';
  const meant = meaningOf(text);
  return `${meant === undefined ? '' : ` Or write ${meant}.`} Accepted are ${EXPRESSIONS}.`;
}

/** `now-7days` with the short names of units. */
export const withShortUnits = (expression: string): string =>
  expression.replace(longUnits, (_, amount: string, unit: string) => amount + shortenUnit(unit));

const shortUnits: Readonly<Record<string, string>> = {
  ...{ second: 's', minute: 'm', hour: 'h', day: 'd', week: 'w', month: 'mo', quarter: 'q', year: 'y' },
};
const shortenUnit = (unit: string): string => shortUnits[unit] ?? unit;
const unit = `(${Object.keys(shortUnits).join('|')})`;
const longUnits = new RegExp(`(\\d)${unit}s?(?![a-z])`, 'gi');
const amount = '(\\d{1,9}|an?|one)';
const period = '(week|month|quarter|year)';
const which = '(this|current|last|past|previous|next)';

/** Forms of words, and the expressions that they mean. */
const meanings: readonly (readonly [RegExp, (...words: string[]) => string])[] = [
  [/^(?:last|previous) day$/, () => 'yesterday'],
  [/^(?:this|current) day$/, () => 'today'],
  [/^next day$/, () => 'tomorrow'],
  [form(`${which} ${period}`), (step, of) => `${startOf(of, step)} for its first day, ${endOf(of, step)} for its last`],
  [form(`(?:start|beginning|first day) of (?:the )?(?:${which} )?${period}`), (step, of) => startOf(of, step)],
  [form(`(?:end|last day) of (?:the )?(?:${which} )?${period}`), (step, of) => endOf(of, step)],
  [form(`${period} (?:start|beginning)`), (of) => startOf(of, '')],
  [form(`${period} end`), (of) => endOf(of, '')],
  [form(`${period} to date`), (of) => `${of}-start for its start, today for its end`],
  [form(`${amount} ${unit}s? ago`), (count, of) => describeMove('-', count, of)],
  [form(`(?:in )?${amount} ${unit}s?(?: from now)?`), (count, of) => describeMove('+', count, of)],
  [form(`(?:last|past|previous) ${amount} ${unit}s?`), (count, of) => `${describeMove('-', count, of)} for its start`],
];

function form(words: string): RegExp {
  return new RegExp(`^(?:the )?${words}$`);
}

const LONGEST = 60;

function meaningOf(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const words = text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
  for (const [pattern, meaning] of meanings) {
    const found = pattern.exec(words);
    if (found !== null) return meaning(...found.slice(1).map((each) => each ?? ''));
  }
  return undefined;
}

function startOf(of: string, step: string): string {
  const [start, short] = [`${of}-start`, shortenUnit(of)];
  if (step === 'next') return `${start}+1${short}`;
  return isPast(step) ? `${start}-1${short}` : start;
}

function endOf(of: string, step: string): string {
  if (step === 'next') return `${of}-start+2${shortenUnit(of)}-1d`;
  return isPast(step) ? `${of}-start-1d` : `${of}-end`;
}

const isPast = (step: string): boolean => /^(?:last|past|previous)$/.test(step);

/** Days and longer units count from midnight. */
const describeMove = (sign: '-' | '+', count: string, of: string): string =>
  `${/^(?:second|minute|hour)$/.test(of) ? 'now' : 'today'}${sign}${/^\d/.test(count) ? count : '1'}${shortenUnit(of)}`;
