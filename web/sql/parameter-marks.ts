import type { Extension, Text } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { findPlaceholders } from '../../src/catalog/placeholders.ts';
import type { SqlDialect } from '../../src/catalog/sql-dialect.ts';
import { sqlTokens } from '../../src/catalog/sql-tokens.ts';

/** Highlights `@Name` where the service reads it as a parameter: not in strings, comments or names of variables. */
export function parameterMarks(dialect: SqlDialect): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor({ state }: EditorView) {
        this.decorations = marksOf(state.doc, dialect);
      }
      update({ docChanged, state }: ViewUpdate): void {
        if (docChanged) this.decorations = marksOf(state.doc, dialect);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

const mark = Decoration.mark({ class: 'cm-parameter' });

function marksOf(doc: Text, dialect: SqlDialect): DecorationSet {
  const text = doc.toString();
  return Decoration.set(findParameters(text, dialect).map(({ start, end }) => mark.range(start, end)));
}

export function findParameters(sql: string, dialect: SqlDialect): readonly { readonly start: number; readonly end: number }[] {
  const names = new Set(findPlaceholders(sql, dialect));
  return sqlTokens(sql, dialect).filter(({ type, text }) => type === 'variable' && names.has(text));
}
