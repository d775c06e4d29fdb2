/** What calls have changed, read from the history: for the cards, and to show it in the editor. */
import type { Difference } from '../../src/ops/history/read-history.js'
import type { App } from '../page/app.js'
import { changedLines } from './diff-lines.js'

export interface ChangedText {
  path: string
  before: string
  after: string
  /** Not there any more. */
  isDeleted: boolean
}

/** How many files of one call are shown. */
const maxFiles = 20

/** The texts that changes have changed, without those of git, and how many other paths they touched. */
export async function changedTexts(
  app: App,
  changes: readonly string[],
): Promise<{ texts: ChangedText[]; others: number }> {
  // Another workspace may be shown before all is read.
  const { files } = app.workspace
  const { openFileText } = await import('../editor/file-text.js')
  const decode = (bytes?: Uint8Array) => (bytes === undefined ? '' : openFileText(bytes)?.text)
  const found = new Map<string, ChangedText>()
  let others = 0
  for (const only of changes) {
    for (const difference of await files.run('compareVersions', { only })) {
      const text = isText(difference) ? textOf(difference) : undefined
      if (text === undefined || found.size >= maxFiles) others += 1
      else found.set(text.path, { ...text, before: found.get(text.path)?.before ?? text.before })
    }
  }
  return { texts: [...found.values()], others }

  function textOf({ path, after: { kind }, bytesBefore, bytesAfter }: Difference): ChangedText | undefined {
    const [before, after] = [decode(bytesBefore), decode(bytesAfter)]
    if (before === undefined || after === undefined) return undefined
    return { path, before, after, isDeleted: kind === 'absent' }
  }
}

function isText({ path, before, after }: Difference): boolean {
  if (/\/\.git(\/|$)/.test(path)) return false
  return before.kind === 'file' || after.kind === 'file'
}

/** Opens the file that was changed, with the changed lines marked, unless the user is typing in another. */
export function showInEditor(app: App, texts: readonly ChangedText[]): void {
  if (document.activeElement?.closest('.cm-content')) return
  const shown = texts.filter(({ isDeleted }) => !isDeleted).at(-1)
  if (shown === undefined) return
  const changed = changedLines(shown.before, shown.after)
  const [line = 1] = changed
  app.emit('show', { path: shown.path, line, changed })
}
