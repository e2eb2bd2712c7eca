import type { Chance } from './chance.ts';
import { hostileValues, rawBodies } from './hostile.ts';

export interface HostileMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a message can name: tools with their arguments, keys, and codes that were good once. */
export interface KnownTools {
  readonly tools: readonly { readonly name: string; readonly arguments: readonly string[] }[];
  readonly keys: readonly string[];
  readonly words: Readonly<Record<string, readonly string[]>>; // JSON of values that an argument takes
}

/** A message that is right but for a thing or two, so that it gets as far as what it is aimed at. */
export function hostileMessage(chance: Chance, known: KnownTools): HostileMessage {
  const headers = { 'Content-Type': chance.maybe(0.97) ? 'application/json' : 'text/plain', ...oddHeaders(chance, known) };
  if (chance.maybe(0.08)) {
    const raw = chance.pick(rawBodies)();
    return { headers: { ...headers, ...raw.headers }, body: raw.bytes };
  }
  const members = [
    `"jsonrpc":${chance.maybe(0.95) ? '"2.0"' : chance.pick(hostileValues)}`,
    ...(chance.maybe(0.95) ? [`"id":${chance.maybe(0.9) ? '1' : chance.pick(hostileValues)}`] : []),
    `"method":${chance.maybe(0.85) ? '"tools/call"' : chance.maybe(0.7) ? chance.pick(methods) : chance.pick(hostileValues)}`,
    ...(chance.maybe(0.97) ? [`"params":${chance.maybe(0.95) ? params(chance, known) : chance.pick(hostileValues)}`] : []),
    ...(chance.maybe(0.05) ? [`"__proto__":${chance.pick(hostileValues)}`] : []),
  ];
  const message = `{${members.join(',')}}`;
  return { headers, body: Buffer.from(chance.maybe(0.03) ? `[${message},${message}]` : spoilt(chance, message)) };
}

function params(chance: Chance, known: KnownTools): string {
  const tool = chance.pick(known.tools);
  const name = chance.maybe(0.95) ? JSON.stringify(tool.name) : chance.pick(hostileValues);
  const sent = chance.maybe(0.95) ? argumentsOf(chance, tool.arguments, known) : chance.pick(hostileValues);
  const more = chance.maybe(0.1) ? `,"cursor":${chance.pick(hostileValues)},"protocolVersion":${chance.pick(hostileValues)}` : '';
  return `{"name":${name},"arguments":${sent}${more},"clientInfo":${chance.pick(hostileValues)},"_meta":{}}`;
}

function argumentsOf(chance: Chance, names: readonly string[], { keys, words }: KnownTools): string {
  const members = names
    .filter(() => chance.maybe(0.9))
    .map(
      (name) =>
        `${JSON.stringify(spelled(chance, name))}:${chance.maybe(0.6) ? chance.pick(words[name] ?? hostileValues) : chance.pick(hostileValues)}`,
    );
  const key = chance.maybe(0.9) ? JSON.stringify(chance.pick(keys)) : chance.pick(hostileValues);
  return `{${[`"apiKey":${key}`, ...members].join(',')}}`;
}

const spelled = (chance: Chance, name: string): string =>
  chance.pick([
    name,
    name,
    name,
    name.toUpperCase(),
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    `-${name}`,
    '__proto__',
  ]);

/** Now and then a byte is lost, doubled or another. */
function spoilt(chance: Chance, message: string): string {
  if (!chance.maybe(0.08)) return message;
  const at = Math.floor(message.length * Number(`0.${chance.pick(['1', '3', '5', '7', '9'])}`));
  return message.slice(0, at) + chance.pick(['', '"', '{', '\0', '\ud800', '\\', ',']) + message.slice(at + 1);
}

function oddHeaders(chance: Chance, { keys }: KnownTools): Record<string, string> {
  const odd: Record<string, string> = {};
  if (chance.maybe(0.3))
    odd['MCP-Protocol-Version'] = chance.pick(['2025-06-18', '2025-11-25', '2024-11-05', 'x', '\u00ff', '0']);
  if (chance.maybe(0.1)) odd['X-API-Key'] = chance.pick([...keys, '', 'x'.repeat(3000), '\u00ff']);
  if (chance.maybe(0.1)) odd.Authorization = chance.pick(['Bearer', 'Bearer x', 'Basic !!!', 'bearer  ', 'x'.repeat(3000)]);
  if (chance.maybe(0.1)) odd['Mcp-Session-Id'] = chance.pick(['x', '\u00ff', 'x'.repeat(3000)]);
  if (chance.maybe(0.05)) odd.Origin = chance.pick(['null', 'http://evil.example', 'x']);
  if (chance.maybe(0.1)) odd.Accept = chance.pick(['', 'text/event-stream', 'x/y', ';q=']);
  if (chance.maybe(0.1)) odd['X-Forwarded-For'] = chance.pick(['1.2.3.4', 'x', '::']);
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
