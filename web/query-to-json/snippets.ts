import { curlOf, type HttpCall, keyFromVariable } from '../components/copy/curl.ts';
import { KEY_VARIABLE } from '../components/copy/key-variable.ts';

export interface Language {
  readonly id: string;
  readonly label: string;
  readonly write: (call: HttpCall, rows: 'Data' | 'data') => string;
}

/** The call in several languages. */
export const languages = [
  { id: 'curl', label: 'cURL', write: explain('#', curlOf) },
  { id: 'javascript', label: 'JavaScript', write: explain('//', javascript) },
  { id: 'python', label: 'Python', write: explain('#', python) },
  { id: 'powershell', label: 'PowerShell', write: explain('#', powershell) },
] as const satisfies readonly Language[];

/** Says in a comment where the key comes from, if the call reads it from the environment. */
function explain(mark: string, write: Language['write']): Language['write'] {
  return (call, rows) => {
    const isFromVariable = Object.values(call.headers).includes(keyFromVariable);
    const comment = `${mark} Set the environment variable ${KEY_VARIABLE} to your key, <API_KEY>.\n`;
    return isFromVariable ? comment + write(call, rows) : write(call, rows);
  };
}

/** For browsers and Node, without dependencies. */
function javascript({ method, url, headers, body }: HttpCall, rows: string): string {
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: ${JSON.stringify(method)},
  headers: ${insertVariable(indent(JSON.stringify(headers, null, 2)), `process.env.${KEY_VARIABLE}`)},
  body: JSON.stringify(${indent(body ?? 'null')}),
});
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);
const page = await response.json();
console.log(page.${rows});`;
}

/** For Python, with the standard library only. */
function python({ method, url, headers, body }: HttpCall, rows: string): string {
  const sent = insertVariable(pythonLiteral(headers, 1), `os.environ["${KEY_VARIABLE}"]`);
  return `import json
${sent.includes('os.environ[') ? 'import os\n' : ''}import urllib.request

request = urllib.request.Request(
    ${pythonLiteral(url)},
    method=${pythonLiteral(method)},
    headers=${sent},
    data=json.dumps(${pythonLiteral(JSON.parse(body ?? 'null'), 1)}).encode(),
)
with urllib.request.urlopen(request) as response:
    page = json.load(response)
print(page["${rows}"])`;
}

/** For PowerShell 5.1 and later. ASCII only, because 5.1 uses other encodings for other characters. */
function powershell({ method, url, headers, body }: HttpCall, rows: string): string {
  const { 'Content-Type': contentType = 'application/json', ...others } = headers;
  return `$headers = @{
${Object.entries(others)
  .map(
    ([name, value]) =>
      `  ${powershellText(name)} = ${value === keyFromVariable ? `$env:${KEY_VARIABLE}` : powershellText(value)}`,
  )
  .join('\n')}
}
$body = ${powershellText(ascii(body ?? ''))}
$page = Invoke-RestMethod -Method ${method} -Uri ${powershellText(url)} -Headers $headers \`
  -ContentType ${powershellText(contentType)} -Body $body
$page.${rows}`;
}

const insertVariable = (text: string, expression: string): string =>
  text.replace(JSON.stringify(keyFromVariable), () => expression);

const indent = (text: string): string => text.replaceAll('\n', '\n  ');

/** JSON strings and numbers are valid in Python; true, false and null are not. */
function pythonLiteral(value: unknown, depth = 0): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const items = isList
    ? value.map((item) => pythonLiteral(item, depth + 1))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${pythonLiteral(item, depth + 1)}`);
  if (items.length === 0) return open + close;
  const edge = '    '.repeat(depth);
  return `${open}\n${items.map((item) => `${edge}    ${item},`).join('\n')}\n${edge}${close}`;
}

/** PowerShell treats typographic quotes as quotes. */
const powershellText = (text: string): string => `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`;

const ascii = (json: string): string =>
  json.replaceAll(/[^\n\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
