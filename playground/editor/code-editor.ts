/** CodeMirror in one module, loaded when the first text is shown. */
import { css } from '@codemirror/lang-css'
import { html } from '@codemirror/lang-html'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { markdown } from '@codemirror/lang-markdown'
import { python } from '@codemirror/lang-python'
import { syntaxHighlighting } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import { pageHighlighting } from './highlighting.js'

export interface CodeEditor {
  text(): string
  /** Replaces only the part that differs, so that the cursor stays in place. */
  setText(text: string): void
  showLine(line: number): void
  focus(): void
  close(): void
}

export interface CodeEditorOptions {
  path: string
  text: string
  readOnly: boolean
  onEdited(): void
  onSave(): void
}

export function codeEditor(parent: HTMLElement, options: CodeEditorOptions): CodeEditor {
  const { path, text, readOnly, onEdited, onSave } = options
  /** True while the text is set from outside, which is not an edit by the user. */
  let isUpdating = false
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([{ key: 'Mod-s', run: () => saved(onSave) }]),
        common(path),
        EditorState.readOnly.of(readOnly),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged && !isUpdating) onEdited()
        }),
      ],
    }),
  })
  return {
    text: () => view.state.doc.toString(),
    setText(next) {
      const now = view.state.doc.toString()
      if (now === next) return
      let start = 0
      while (start < Math.min(now.length, next.length) && now[start] === next[start]) start += 1
      let end = 0
      const maxEnd = Math.min(now.length, next.length) - start
      while (end < maxEnd && now[now.length - 1 - end] === next[next.length - 1 - end]) end += 1
      isUpdating = true
      view.dispatch({ changes: { from: start, to: now.length - end, insert: next.slice(start, next.length - end) } })
      isUpdating = false
    },
    showLine(line) {
      const { from } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)))
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  }
}

/** Returns true to mark the key as handled. */
function saved(onSave: () => void): boolean {
  onSave()
  return true
}

/** Shows two versions of a text as one, with deletions and insertions marked. */
export function diffView(
  parent: HTMLElement,
  { path, before, after }: { path: string; before: string; after: string },
): () => void {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: after,
      extensions: [
        common(path),
        EditorState.readOnly.of(true),
        unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
      ],
    }),
  })
  return () => view.destroy()
}

function common(path: string): Extension {
  return [
    basicSetup,
    languageOf(path),
    EditorView.lineWrapping,
    syntaxHighlighting(pageHighlighting),
    EditorView.contentAttributes.of({ 'aria-label': path }),
    EditorView.theme({
      '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)' },
      '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', border: 'none' },
      '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
      '.cm-cursor': { borderLeftColor: 'var(--text)' },
      '&.cm-focused': { outline: 'none' },
      '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
        backgroundColor: 'var(--selection) !important',
      },
      '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.85rem' },
      '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--text)' },
      '.cm-changedLine': { backgroundColor: 'var(--added-soft) !important' },
      '.cm-deletedChunk': { backgroundColor: 'var(--deleted-soft)' },
      '.cm-changedText': { background: 'var(--added-strong) !important' },
      '.cm-deletedText': { background: 'var(--deleted-strong) !important' },
      '.cm-collapsedLines': { background: 'var(--panel)', color: 'var(--muted)' },
    }),
  ]
}

function languageOf(path: string): Extension {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  if (['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx'].includes(ending)) {
    return javascript({ jsx: ending.endsWith('x'), typescript: ending.includes('t') })
  }
  if (ending === 'json') return json()
  if (ending === 'md') return markdown()
  if (ending === 'css') return css()
  if (ending === 'html' || ending === 'svg') return html()
  if (ending === 'py') return python()
  return []
}
