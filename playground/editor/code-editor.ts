/** CodeMirror in one module, loaded when the first text is shown. */
import { css } from '@codemirror/lang-css'
import { html } from '@codemirror/lang-html'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { markdown } from '@codemirror/lang-markdown'
import { python } from '@codemirror/lang-python'
import { syntaxHighlighting } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { ChangeSet, Compartment, EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, keymap } from '@codemirror/view'
import { basicSetup } from 'codemirror'
import type { Span } from '../../src/text/spans.js'
import { pageHighlighting } from './highlighting.js'

export interface CodeEditor {
  text(): string
  /** Takes another text as the unedited one. Replaces only the part that differs, so that the cursor stays in place. */
  setText(text: string): void
  /** Replaces the text as if it were typed. */
  replaceText(text: string): void
  /** True when something was typed since the text was set or last saved. */
  isEdited(): boolean
  /** What was typed, as spans of the unedited text. Later edits are kept apart until `endSave`. */
  beginSave(): Span[]
  /** After success, the text of `beginSave` is the unedited one. */
  endSave(isSaved: boolean): void
  /** The file was moved: names and highlights it by its new path. */
  setPath(path: string): void
  showLine(line: number, part?: { column: number; length: number }): void
  /** Marks lines that an agent has changed, instead of those marked before. The marks move with their lines, and go when somebody types. */
  markLines(lines: readonly number[]): void
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
  const named = new Compartment()
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([{ key: 'Mod-s', run: () => saved(onSave) }]),
        common(),
        named.of(byPath(path)),
        markedLines,
        EditorState.readOnly.of(readOnly),
        EditorView.updateListener.of(({ docChanged, changes }) => {
          if (!docChanged || isUpdating) return
          typed = typed.compose(changes)
          onEdited()
        }),
      ],
    }),
  })
  /** Edits since the last save began. */
  let typed = noChanges()
  /** Edits that are being saved. */
  let beingSaved: ChangeSet | undefined

  function noChanges(): ChangeSet {
    return ChangeSet.empty(view.state.doc.length)
  }

  return {
    text: () => view.state.doc.toString(),
    setText(next) {
      const now = view.state.doc.toString()
      let start = 0
      while (start < Math.min(now.length, next.length) && now[start] === next[start]) start += 1
      let end = 0
      const maxEnd = Math.min(now.length, next.length) - start
      while (end < maxEnd && now[now.length - 1 - end] === next[next.length - 1 - end]) end += 1
      isUpdating = true
      view.dispatch({ changes: { from: start, to: now.length - end, insert: next.slice(start, next.length - end) } })
      isUpdating = false
      typed = noChanges()
      beingSaved = undefined
    },
    replaceText: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    isEdited: () => !typed.empty || beingSaved !== undefined,
    beginSave() {
      beingSaved = beingSaved?.compose(typed) ?? typed
      typed = noChanges()
      const spans: Span[] = []
      beingSaved.iterChanges((start, end, _from, _to, inserted) =>
        spans.push({ start, end, text: inserted.toString() }),
      )
      return spans
    },
    endSave(isSaved) {
      if (!isSaved && beingSaved !== undefined) typed = beingSaved.compose(typed)
      beingSaved = undefined
    },
    setPath: (next) => view.dispatch({ effects: named.reconfigure(byPath(next)) }),
    showLine(line, { column, length } = { column: 0, length: 0 }) {
      const { from, to } = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)))
      const anchor = Math.min(from + column, to)
      const head = Math.min(anchor + length, to)
      view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
    },
    markLines: (lines) => view.dispatch({ effects: setMarks.of(lines) }),
    focus: () => view.focus(),
    close: () => view.destroy(),
  }
}

const setMarks = StateEffect.define<readonly number[]>()
const mark = Decoration.line({ class: 'cm-agentLine' })

const markedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const { changes, effects, state } = transaction
    const isTyped = transaction.isUserEvent('input') || transaction.isUserEvent('delete')
    let next = isTyped ? Decoration.none : marks.map(changes)
    for (const effect of effects) {
      if (!effect.is(setMarks)) continue
      const lines = effect.value.filter((line) => line >= 1 && line <= state.doc.lines)
      next = Decoration.set(lines.map((line) => mark.range(state.doc.line(line).from)))
    }
    return next
  },
  provide: (field) => EditorView.decorations.from(field),
})

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
        common(),
        byPath(path),
        EditorState.readOnly.of(true),
        unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
      ],
    }),
  })
  return () => view.destroy()
}

function byPath(path: string): Extension {
  return [languageOf(path), EditorView.contentAttributes.of({ 'aria-label': path })]
}

function common(): Extension {
  return [
    basicSetup,
    EditorView.lineWrapping,
    syntaxHighlighting(pageHighlighting),
    EditorView.theme({
      '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)' },
      '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', border: 'none' },
      // Translucent: the selection is painted behind the lines.
      '.cm-activeLine': { backgroundColor: 'var(--active-line)' },
      '.cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
      '.cm-cursor': { borderLeftColor: 'var(--text)' },
      '&.cm-focused': { outline: 'none' },
      '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
        backgroundColor: 'var(--selection) !important',
      },
      '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.85rem' },
      '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--text)' },
      '.cm-panel.cm-search label': { fontSize: '0.8rem' },
      '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--raised)', color: 'var(--text)' },
      '.cm-button:active': { backgroundImage: 'none', backgroundColor: 'var(--hover)' },
      '.cm-textfield': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
      '.cm-button, .cm-textfield': { border: '1px solid var(--edge)', borderRadius: '0.3rem' },
      '.cm-panel.cm-search [name=close]': { color: 'var(--text)' },
      '.cm-searchMatch': { backgroundColor: 'var(--match)' },
      '.cm-searchMatch-selected': { outline: '2px solid var(--accent)' },
      '.cm-agentLine': { backgroundColor: 'var(--added-soft)', boxShadow: 'inset 3px 0 var(--added)' },
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
