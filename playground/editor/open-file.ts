/**
 * One file in the editor. What is typed is saved after a pause, and only over the version that was edited. Where that is not possible, because
 * somebody else changed or deleted the file or its encoding lacks a character, a question above the text stays until it is answered.
 */
import { contentHash } from '../../src/change/content-hash.js'
import { isFsError } from '../../src/errors.js'
import type { App } from '../page/app.js'
import { h } from '../page/dom.js'
import type { CodeEditor } from './code-editor.js'
import type { Draft } from './drafts.js'
import { fileQuestion, type Question } from './file-question.js'
import { describeFormat, encodeAsUtf8, encodeEdits, type FileText, openFileText } from './file-text.js'
import { hasEnded, storedVersion } from './stored-version.js'

export interface OpenFile {
  readonly path: string
  readonly body: HTMLElement
  readonly editor: CodeEditor
  /** The file is not there any more. */
  readonly isDeleted: boolean
  /** Something typed is not in the file, or not yet stored. */
  isUnsaved(): boolean
  /** Saves what was typed, after the saves before it. */
  save(): Promise<void>
  /** Shows what others have written; asks when something was typed too. */
  reread(): Promise<void>
  /** The file was moved there. */
  follow(path: string): void
  /** Saves, and asks when that is not possible. False when the user wants the tab to stay. */
  mayClose(): Promise<boolean>
  /** What was typed and is not stored yet; undefined when everything is. */
  draft(): Draft | undefined
  /** Shows text that was typed before the page was left. */
  restoreDraft(draft: Draft): void
  close(): void
}

export interface OpenFileOptions {
  path: string
  text: FileText
  hash: string
  /** The name, the deleted state or the unsaved state has changed. */
  onState(): void
  /** The content is not text any more, or too long to edit. */
  onUneditable(): void
}

/** Delay after the last key press. */
const saveAfterMs = 800
/** Larger files can't be edited here. */
export const maxEditableBytes = 2_000_000

/** Reads a file for the editor; without `text` when it can't be edited. */
export async function readFileText(app: App, path: string): Promise<{ text?: FileText; hash: string }> {
  const { bytes } = await app.workspace.files.run('readBytes', { path })
  const hash = await contentHash(bytes)
  const text = bytes.length > maxEditableBytes ? undefined : openFileText(bytes)
  return { hash, ...(text && { text }) }
}

export async function openFile(app: App, options: OpenFileOptions): Promise<OpenFile> {
  const { onState, onUneditable } = options
  const { codeEditor } = await import('./code-editor.js')
  let { path, text: base, hash } = options
  let isDeleted = false
  let queue: Promise<void> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined

  const stored = storedVersion(app, hash, { onState })
  const question = fileQuestion({
    answers: {
      compare,
      keepMine: () => saveNow('any version'),
      takeTheirs,
      discard: async () => adopt(base, hash),
      async discardDeleted() {
        adopt(base, hash)
        ask('deleted')
      },
      saveAsUtf8: () => saveNow('same version', 'utf-8'),
      restore,
    },
    run: enqueue,
    hasEdits,
    encoding: () => describeFormat(base).split(' · ')[0] ?? '',
  })
  const place = h('div', { class: 'code' })
  const status = h('div', { class: 'status' })
  const body = h('div', { class: 'editor' }, question.banner, place, status)
  const editor = codeEditor(place, {
    path,
    text: base.text,
    readOnly: app.workspace.about.readOnly,
    onEdited() {
      onState()
      clearTimeout(timer)
      timer = setTimeout(() => void save(), saveAfterMs)
    },
    onSave: () => void save(),
  })
  describeBase()

  function describeBase(): void {
    status.textContent = describeFormat(base)
  }

  /** Saves and rereads run one after another, so that none works with what another has replaced. */
  function enqueue(work: () => Promise<void>): Promise<void> {
    queue = queue.then(work)
    return queue
  }

  const save = () => enqueue(() => saveNow('same version'))
  const reread = () => enqueue(rereadNow)
  /** The file counts as unsaved until a reload can't lose it. */
  const isUnsaved = () => hasEdits() || stored.isStoring()

  function hasEdits(): boolean {
    return editor.isEdited() || stored.isLost()
  }

  async function saveNow(over: 'same version' | 'any version', as?: 'utf-8'): Promise<void> {
    if (!hasEdits()) return
    const edits = editor.beginSave()
    const encoded = as === 'utf-8' ? { saved: encodeAsUtf8(base, edits) } : encodeEdits(base, edits)
    if (!('saved' in encoded)) {
      editor.endSave(false)
      return ask('encoding', 'unencodable' in encoded ? encoded.unencodable : undefined)
    }
    const { saved } = encoded
    const target = path
    const { files } = app.workspace
    try {
      const expected = over === 'any version' ? {} : { expectedHash: hash }
      await files.run('writeFiles', { files: [{ path: target, content: saved.bytes, ...expected }], makeParents: true })
    } catch (error) {
      editor.endSave(false)
      // When the worker has failed, its replacement gets the text.
      if (await hasEnded(app.workspace.files)) return
      return notSaved(error, target)
    }
    editor.endSave(true)
    base = saved
    hash = await contentHash(saved.bytes)
    describeBase()
    void stored.store(hash)
    ask(undefined)
  }

  async function notSaved(error: unknown, target: string): Promise<void> {
    // The file was moved in the meantime.
    if (target !== path) return saveNow('same version')
    if (isFsError(error, 'STALE') && stored.cameBack(error.facts.actual)) return saveNow('any version')
    if (isFsError(error, 'STALE', 'NOT_FOUND', 'NOT_A_DIRECTORY', 'IS_A_DIRECTORY')) {
      return ask((await isThere()) ? 'changed' : 'deleted')
    }
    onState()
    await app.attempt(`save ${path}`, () => Promise.reject(error))
  }

  async function isThere(): Promise<boolean> {
    return app.workspace.files.run('describeEntry', { path }).then(
      ({ kind }) => kind !== 'directory',
      () => false,
    )
  }

  async function rereadNow(): Promise<void> {
    let now: Awaited<ReturnType<typeof readFileText>>
    try {
      now = await readFileText(app, path)
    } catch (error) {
      if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'IS_A_DIRECTORY')) ask('deleted')
      return
    }
    isDeleted = false
    if (now.hash === hash) {
      ask(undefined)
      return hasEdits() ? saveNow('same version') : undefined
    }
    if (hasEdits()) return stored.cameBack(now.hash) ? saveNow('any version') : ask('changed')
    if (now.text === undefined) return onUneditable()
    adopt(now.text, now.hash)
  }

  function adopt(text: FileText, itsHash: string): void {
    base = text
    hash = itsHash
    stored.adopt(itsHash)
    editor.setText(text.text)
    describeBase()
    ask(undefined)
  }

  /** Asks a question above the text, or none. */
  function ask(next: Question | undefined, character?: string): void {
    isDeleted = next === 'deleted'
    question.ask(next, character)
    onState()
  }

  async function restore(): Promise<void> {
    await app.attempt(`restore ${path}`, () =>
      app.workspace.files.run('writeFiles', {
        files: [{ path, content: base.bytes, expect: 'new' }],
        makeParents: true,
      }),
    )
    await rereadNow()
  }

  async function takeTheirs(): Promise<void> {
    const now = await app.attempt(`read ${path}`, () => readFileText(app, path))
    if (now === undefined) return
    if (now.text === undefined) {
      adopt(base, hash)
      return onUneditable()
    }
    adopt(now.text, now.hash)
  }

  async function compare(): Promise<void> {
    const load = async () => ({
      before: (await readFileText(app, path)).text?.text ?? '',
      after: editor.text(),
    })
    const versions = await app.attempt(`read ${path}`, load)
    if (versions) app.emit('compare', { path, ...versions, title: 'theirs, and mine', load })
  }

  return {
    get path() {
      return path
    },
    get isDeleted() {
      return isDeleted
    },
    body,
    editor,
    isUnsaved,
    save,
    reread,
    follow(next) {
      path = next
      editor.setPath(next)
      onState()
      void reread()
    },
    async mayClose() {
      clearTimeout(timer)
      await save()
      // Something may have been typed meanwhile.
      if (hasEdits() && question.asked === undefined) await save()
      return !hasEdits() || question.askToClose(path)
    },
    draft: () => (isUnsaved() ? { path, text: editor.text(), hashes: [hash, stored.hash] } : undefined),
    restoreDraft({ text, hashes: [first = '', ...others] }) {
      if (text === editor.text()) return
      editor.replaceText(text)
      // Someone else has changed the file since: the save will notice, and ask.
      if (![first, ...others].includes(hash)) hash = first
      void reread()
    },
    close() {
      clearTimeout(timer)
      editor.close()
    },
  }
}
