import './sql-editor.css';
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder as placeholderText,
} from '@codemirror/view';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { SqlDialect } from '../../src/catalog/sql-dialect.ts';
import { editorTheme } from './editor-theme.ts';
import { parameterMarks } from './parameter-marks.ts';
import { diagnosticOf, type SqlError } from './sql-error.ts';
import { type Schema, sqlLanguage } from './sql-language.ts';

export interface SqlEditorProps {
  readonly label: string; // for screen readers
  readonly value: string;
  readonly onChange: (sql: string) => void;
  readonly dialect: SqlDialect;
  readonly schema?: Schema | null;
  readonly error?: SqlError | null; // shown at its line
  readonly describedBy?: string; // id of the element that describes it
  readonly readOnly?: boolean;
  readonly minHeight?: number;
  readonly placeholder?: string;
}

/** An SQL editor with syntax highlighting and completion. Esc, then Tab leaves it. */
export function SqlEditor(props: SqlEditorProps) {
  const { value, dialect, schema = null, error = null, readOnly = false } = props;
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const language = useRef(new Compartment());
  const access = useRef(new Compartment());
  const typedWithoutSchema = useRef(false);

  useLayoutEffect(() => {
    if (container.current === null) return;
    const { value: doc, dialect: initialDialect, schema: initialSchema = null, readOnly: locked = false } = latest.current;
    const editor = new EditorView({
      parent: container.current,
      state: EditorState.create({
        doc,
        extensions: [
          createExtension(latest.current),
          language.current.of(languageOf(initialDialect, initialSchema)),
          access.current.of(EditorState.readOnly.of(locked)),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            if (!docChanged) return;
            if (transactions.some((each) => each.isUserEvent('input'))) typedWithoutSchema.current = !latest.current.schema;
            latest.current.onChange(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  // synchronously: after the next key press, an older value from the parent would undo it
  useLayoutEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    editor.dispatch({ effects: language.current.reconfigure(languageOf(dialect, schema)) });
    if (schema === null || !typedWithoutSchema.current) return;
    typedWithoutSchema.current = false;
    const { doc, selection } = editor.state;
    if (editor.hasFocus && /\w$/.test(doc.sliceString(0, selection.main.head))) startCompletion(editor);
  }, [dialect, schema]);

  useEffect(() => {
    view.current?.dispatch({ effects: access.current.reconfigure(EditorState.readOnly.of(readOnly)) });
  }, [readOnly]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const found = error?.line === undefined ? [] : [diagnosticOf(error, editor.state.doc)];
    editor.dispatch(setDiagnostics(editor.state, found));
    if (found[0] !== undefined) editor.dispatch({ effects: EditorView.scrollIntoView(found[0].from, { y: 'center' }) });
  }, [error]);

  return <div ref={container} className="sql-editor" {...(error === null ? {} : { 'data-error': true })} />;
}

function leaveToPage(view: EditorView): boolean {
  closeCompletion(view);
  return true;
}

const languageOf = (dialect: SqlDialect, schema: Schema | null): Extension => [
  sqlLanguage(dialect, schema),
  parameterMarks(dialect),
];

function createExtension({ label, describedBy, minHeight = 220, placeholder }: SqlEditorProps): Extension {
  return [
    lineNumbers(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false }),
    EditorView.lineWrapping,
    // lets the page handle its shortcuts, and keeps Ctrl+Enter from inserting a line
    Prec.highest(keymap.of(['Mod-Enter', 'Mod-s'].map((key) => ({ key, run: leaveToPage })))),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
    EditorView.contentAttributes.of({
      'aria-label': label,
      ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
    }),
    EditorView.theme({ '.cm-content, .cm-gutter': { minHeight: `${minHeight}px` }, '.cm-scroller': { maxHeight: '60vh' } }),
    ...(placeholder === undefined ? [] : [placeholderText(placeholder)]),
    editorTheme,
  ];
}
