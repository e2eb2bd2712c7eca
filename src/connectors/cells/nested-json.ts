import { ByteWriter } from '../../results/byte-writer.ts';
import { writeJsonString } from '../../results/json-text.ts';
import type { Cell } from './text-cells.ts';

/** Writes a part of a nested value as JSON. */
export type WriteValue = (value: unknown, out: ByteWriter) => void;

export function arrayWriter(writeItem: WriteValue): WriteValue {
  return (value, out) => {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    out.ascii('[');
    items.forEach((item, index) => {
      if (index > 0) out.ascii(',');
      writeItem(item, out);
    });
    out.ascii(']');
  };
}

export function objectWriter(writeMember: WriteValue): WriteValue {
  return (value, out) => {
    out.ascii('{');
    Object.entries(value ?? {}).forEach(([key, member], index) => {
      if (index > 0) out.ascii(',');
      writeJsonString(out, key);
      out.ascii(':');
      writeMember(member, out);
    });
    out.ascii('}');
  };
}

export interface FieldWriter {
  readonly name: string | undefined;
  readonly write: WriteValue;
}

/** Fields with names are an object; fields without any are a list, as in row(1, 2). */
export function fieldsWriter(fields: readonly FieldWriter[], nameOf: (index: number) => string): WriteValue {
  const isNamed = fields.some(({ name }) => name !== undefined);
  return (value, out) => {
    const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value ?? {});
    out.ascii(isNamed ? '{' : '[');
    fields.forEach(({ name, write }, index) => {
      if (index > 0) out.ascii(',');
      if (isNamed) {
        writeJsonString(out, name ?? nameOf(index));
        out.ascii(':');
      }
      write(members[index], out);
    });
    out.ascii(isNamed ? '}' : ']');
  };
}

/** A cell whose text and value are its JSON. */
export function createNestedCell<T>(write: (value: T, out: ByteWriter) => void): Cell<T> {
  return {
    json: write,
    text: write,
    value(value) {
      const out = new ByteWriter(256);
      write(value, out);
      return out.view().toString();
    },
  };
}
