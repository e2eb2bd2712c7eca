import { hostileValues, rawBodies } from './hostile.ts';
import type { Random } from './random.ts';

export interface HostileMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Valid names for messages: tools with their arguments, keys, and codes. */
export interface KnownTools {
  readonly tools: readonly { readonly name: string; readonly arguments: readonly string[] }[];
  readonly keys: readonly string[];
  readonly words: Readonly<Record<string, readonly string[]>>; // JSON of valid values of an argument
}

/** A mostly valid message with a few defects, so that it passes the first checks. */
export function createHostileMessage(random: Random, known: KnownTools): HostileMessage {
  const headers = { 'Content-Type': random.maybe(0.97) ? 'application/json' : 'text/plain', ...createOddHeaders(random, known) };
  if (random.maybe(0.08)) {
    const raw = random.pick(rawBodies)();
    return { headers: { ...headers, ...raw.headers }, body: raw.bytes };
  }
  const members = [
    `"jsonrpc":${random.maybe(0.95) ? '"2.0"' : random.pick(hostileValues)}`,
    ...(random.maybe(0.95) ? [`"id":${random.maybe(0.9) ? '1' : random.pick(hostileValues)}`] : []),
    `"method":${random.maybe(0.85) ? '"tools/call"' : random.maybe(0.7) ? random.pick(methods) : random.pick(hostileValues)}`,
    ...(random.maybe(0.97) ? [`"params":${random.maybe(0.95) ? params(random, known) : random.pick(hostileValues)}`] : []),
    ...(random.maybe(0.05) ? [`"__proto__":${random.pick(hostileValues)}`] : []),
  ];
  const message = `{${members.join(',')}}`;
  return { headers, body: Buffer.from(random.maybe(0.03) ? `[${message},${message}]` : corrupt(random, message)) };
}

function params(random: Random, known: KnownTools): string {
  const tool = random.pick(known.tools);
  const name = random.maybe(0.95) ? JSON.stringify(tool.name) : random.pick(hostileValues);
  const sent = random.maybe(0.95) ? argumentsOf(random, tool.arguments, known) : random.pick(hostileValues);
  const more = random.maybe(0.1) ? `,"cursor":${random.pick(hostileValues)},"protocolVersion":${random.pick(hostileValues)}` : '';
  return `{"name":${name},"arguments":${sent}${more},"clientInfo":${random.pick(hostileValues)},"_meta":{}}`;
}

function argumentsOf(random: Random, names: readonly string[], { keys, words }: KnownTools): string {
  const members = names
    .filter(() => random.maybe(0.9))
    .map(
      (name) =>
        `${JSON.stringify(misspell(random, name))}:${random.maybe(0.6) ? random.pick(words[name] ?? hostileValues) : random.pick(hostileValues)}`,
    );
  const key = random.maybe(0.9) ? JSON.stringify(random.pick(keys)) : random.pick(hostileValues);
  return `{${[`"apiKey":${key}`, ...members].join(',')}}`;
}

const misspell = (random: Random, name: string): string =>
  random.pick([
    name,
    name,
    name,
    name.toUpperCase(),
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    `-${name}`,
    '__proto__',
  ]);

/** Sometimes replaces a character. */
function corrupt(random: Random, message: string): string {
  if (!random.maybe(0.08)) return message;
  const at = Math.floor(message.length * Number(`0.${random.pick(['1', '3', '5', '7', '9'])}`));
  return message.slice(0, at) + random.pick(['', '"', '{', '\0', '\ud800', '\\', ',']) + message.slice(at + 1);
}

function createOddHeaders(random: Random, { keys }: KnownTools): Record<string, string> {
  const odd: Record<string, string> = {};
  if (random.maybe(0.3))
    odd['MCP-Protocol-Version'] = random.pick(['2025-06-18', '2025-11-25', '2024-11-05', 'x', '\u00ff', '0']);
  if (random.maybe(0.1)) odd['X-API-Key'] = random.pick([...keys, '', 'x'.repeat(3000), '\u00ff']);
  if (random.maybe(0.1)) odd.Authorization = random.pick(['Bearer', 'Bearer x', 'Basic !!!', 'bearer  ', 'x'.repeat(3000)]);
  if (random.maybe(0.1)) odd['Mcp-Session-Id'] = random.pick(['x', '\u00ff', 'x'.repeat(3000)]);
  if (random.maybe(0.05)) odd.Origin = random.pick(['null', 'http://evil.example', 'x']);
  if (random.maybe(0.1)) odd.Accept = random.pick(['', 'text/event-stream', 'x/y', ';q=']);
  if (random.maybe(0.1)) odd['X-Forwarded-For'] = random.pick(['1.2.3.4', 'x', '::']);
  return odd;
}

const methods = [
  '"initialize"',
  '"ping"',
  '"tools/list"',
  '"notifications/initialized"',
  '"resources/list"',
  '"tools/call\\u0000"',
  '""',
];
