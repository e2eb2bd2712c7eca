import type { ByteWriter } from '../../results/byte-writer.ts';
import { writeJsonString } from '../../results/json-text.ts';
import { createNestedCell } from '../cells/nested-json.ts';
import type { TextCell } from '../cells/text-cells.ts';

/** `{1,NULL,"a \"b\""}` as `[1,null,"a \"b\""]`, by the cell of its elements. */
export function arrayCell(element: TextCell, delimiter: string): TextCell {
  return createNestedCell((text, out) => {
    // bounds that do not start at 1 come first: [0:1]={1,2}
    new Reader(text, text.indexOf('{')).array(element, delimiter, out);
  });
}

/** `(1,"a b",)` as `{"id":1,"name":"a b","note":null}`. */
export function createCompositeCell(attributes: readonly { readonly name: string; readonly cell: TextCell }[]): TextCell {
  return createNestedCell((text, out) => {
    const fields = new Reader(text, 0).fields();
    if (fields.length !== attributes.length) {
      writeJsonString(out, text); // the type has changed since the lookup
      return;
    }
    attributes.forEach(({ name, cell }, index) => {
      out.ascii(index === 0 ? '{' : ',');
      writeJsonString(out, name);
      out.ascii(':');
      const field = fields[index] ?? null;
      if (field === null) out.ascii('null');
      else cell.json(field, out);
    });
    out.ascii('}');
  });
}

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  array(element: TextCell, delimiter: string, out: ByteWriter): void {
    this.#at++; // {
    out.ascii('[');
    for (let first = true; this.#char() !== '}' && this.#char() !== ''; first = false) {
      if (!first) out.ascii(',');
      if (this.#char() === '{') this.array(element, delimiter, out);
      else if (this.#char() === '"') element.json(this.#readQuoted(), out);
      else this.#readBare(element, delimiter, out);
      if (this.#char() === delimiter) this.#at++;
    }
    this.#at++; // }
    out.ascii(']');
  }

  fields(): (string | null)[] {
    const found: (string | null)[] = [];
    while (this.#at < this.#text.length - 1) {
      this.#at++; // ( or ,
      const char = this.#char();
      if (char === ',' || char === ')') found.push(null);
      else found.push(char === '"' ? this.#readQuoted() : this.#readUntil(',)'));
      if (this.#char() === ')') break;
    }
    return found;
  }

  #readBare(element: TextCell, delimiter: string, out: ByteWriter): void {
    const text = this.#readUntil(`${delimiter}}`);
    if (text === 'NULL') out.ascii('null');
    else element.json(text, out);
  }

  #readUntil(ends: string): string {
    const start = this.#at;
    while (!ends.includes(this.#char()) && this.#char() !== '') this.#at++;
    return this.#text.slice(start, this.#at);
  }

  /** Quotes and backslashes are escaped by a backslash, or by being doubled. */
  #readQuoted(): string {
    let found = '';
    let start = ++this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#char();
      if (char !== '"' && char !== '\\') continue;
      const next = this.#text.charAt(this.#at + 1);
      if (char === '"' && next !== '"') break;
      found += this.#text.slice(start, this.#at) + next;
      start = ++this.#at + 1;
    }
    found += this.#text.slice(start, this.#at);
    this.#at++;
    return found;
  }

  #char(): string {
    return this.#text.charAt(this.#at);
  }
}
