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

/** A diff: removed lines above added ones. */
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
          // scrollable, so it must be focusable
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

/** A final line break, so that a line added at the end does not mark the one before it as changed. */
const withEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
