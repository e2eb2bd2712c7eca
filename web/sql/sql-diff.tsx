import './sql-editor.css';
import { getChunks, unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { SqlDialect } from '../../src/catalog/sql-dialect.ts';
import { editorTheme } from './editor-theme.ts';
import { parameterMarks } from './parameter-marks.ts';
import { sqlLanguage } from './sql-language.ts';

export interface SqlDiffProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  readonly dialect: SqlDialect;
}

/** What became of a text: lines that went above those that came. */
export function SqlDiff({ label, before, after, dialect }: SqlDiffProps) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (container.current === null) return;
    const editor = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc: withEnd(after),
        extensions: [
          lineNumbers(),
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.lineWrapping,
          // it scrolls, so keys must reach it
          EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
          EditorView.theme({ '.cm-scroller': { maxHeight: '50vh' } }),
          sqlLanguage(dialect, null),
          parameterMarks(dialect),
          unifiedMergeView({ original: withEnd(before), mergeControls: false }),
          editorTheme,
        ],
      }),
    });
    const first = getChunks(editor.state)?.chunks[0];
    if (first !== undefined) {
      const at = Math.min(first.fromB, editor.state.doc.length);
      editor.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    }
    return () => editor.destroy();
  }, [label, before, after, dialect]);
  return <div ref={container} className="sql-diff" />;
}

/** A last line that is followed by others did not change. */
const withEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
