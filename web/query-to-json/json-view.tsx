import { json } from '@codemirror/lang-json';
import { codeFolding, foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

export interface JsonViewProps {
  readonly text: string;
  readonly label: string;
  readonly maxHeight?: string;
}

/** A JSON viewer that renders only the visible lines. Load it lazily. */
export function JsonView({ text, label, maxHeight = '60vh' }: JsonViewProps) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (container.current === null) return;
    const view = new EditorView({
      parent: container.current,
      state: EditorState.create({ doc: text, extensions: [...reading, attributes(label), height(maxHeight)] }),
    });
    return () => view.destroy();
  }, [text, label, maxHeight]);
  return <div ref={container} />;
}

const attributes = (label: string) =>
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' });

const height = (maxHeight: string) => EditorView.theme({ '&': { maxHeight } });

const look = EditorView.theme({
  '&': {
    fontSize: 'var(--mantine-font-size-xs)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-md)',
    color: 'var(--mantine-color-text)',
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-color-anchor)' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', overflow: 'auto', lineHeight: '1.5' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-default-hover)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-content': { caretColor: 'transparent' },
  '.cm-foldPlaceholder': { background: 'transparent', color: 'var(--mantine-color-dimmed)', border: 'none' },
});

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--mantine-color-petrol-light-color)' },
  { tag: tags.string, color: 'var(--mantine-color-teal-light-color)' },
  { tag: tags.number, color: 'var(--mantine-color-orange-light-color)' },
  { tag: [tags.bool, tags.null], color: 'var(--mantine-color-red-light-color)' },
]);

const reading = [
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.lineWrapping,
  lineNumbers(),
  codeFolding(),
  foldGutter(),
  json(),
  syntaxHighlighting(colors),
  look,
];
