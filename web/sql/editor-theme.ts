import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Colors are CSS variables in sql-editor.css, so that the color scheme can change without a new editor. */
const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--sql-keyword)', fontWeight: '500' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--sql-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--sql-number)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--sql-comment)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--sql-type)' },
]);

const theme = EditorView.theme({
  '&': { fontSize: '13px', color: 'var(--mantine-color-text)', backgroundColor: 'var(--mantine-color-body)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)', padding: '8px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-dimmed)',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--sql-line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--mantine-primary-color-filled) 28%, transparent)',
  },
  // even if the name is an SQL keyword
  '.cm-parameter, .cm-parameter span': { color: 'var(--sql-parameter)', fontWeight: 'normal' },
  '.cm-parameter': {
    backgroundColor: 'var(--sql-parameter-back)',
    borderRadius: '3px',
    padding: '0 2px',
    margin: '0 -2px',
  },
  '.cm-placeholder': { color: 'var(--mantine-color-dimmed)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    boxShadow: 'var(--mantine-shadow-md)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mantine-font-family-monospace)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-primary-color-contrast)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', marginLeft: '12px' },
  '.cm-panels': { backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
  // changes in a diff
  '&.cm-merge-b .cm-changedLine, .cm-changedLine': { backgroundColor: 'var(--sql-added)' },
  // underlined: a darker background would leave too little contrast
  '&.cm-merge-b .cm-changedText, .cm-changedText': { background: 'none', boxShadow: 'inset 0 -2px var(--sql-added-text)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--sql-removed)', paddingLeft: '6px' },
  '&.cm-merge-b .cm-deletedText, .cm-deletedChunk .cm-deletedText': {
    background: 'none',
    boxShadow: 'inset 0 -2px var(--sql-removed-text)',
  },
});

export const editorTheme: Extension = [theme, syntaxHighlighting(highlighting)];
