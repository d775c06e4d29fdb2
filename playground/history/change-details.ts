/** What the selected change did, path by path, and what can be done with it. */
import type { Difference } from '../../src/ops/history/read-history.js'
import type { App } from '../page/app.js'
import { confirmWith } from '../page/dialogs.js'
import { button, h } from '../page/dom.js'
import type { ChangeList } from './change-list.js'
import { type HistoryItem, idOf, whenOf } from './history-items.js'
import { previewOf } from './history-preview.js'

export interface ChangeDetails {
  readonly element: HTMLElement
  /** Shows an item, `withTree` also the tree as it was then. Without an item, what is still being read is not shown. */
  show(item: HistoryItem | undefined, options: { withTree: boolean }): Promise<void>
  clear(): void
}

/** How many paths of one change are shown. */
const maxPaths = 200

export function changeDetails(app: App, changes: ChangeList): ChangeDetails {
  const { labelOf } = changes
  /** How often a point was looked at; only the last look is shown. */
  let looks = 0
  const element = h('div', { class: 'change-details' })

  async function show(item: HistoryItem | undefined, { withTree }: { withTree: boolean }): Promise<void> {
    looks += 1
    const look = looks
    if (item === undefined) return
    const shown = await app.attempt('compare', async () => ({
      differences: await differencesOf(app, item),
      tree: withTree
        ? await previewOf(app, idOf(item), `${labelOf(item)}, ${whenOf(item.records[0].atMs)}, and now`)
        : undefined,
    }))
    if (look !== looks || shown === undefined) return
    const { differences, tree } = shown
    const outsideGit = differences.filter(({ path }) => !/\/\.git(\/|$)/.test(path))
    const inGit = differences.length - outsideGit.length
    element.replaceChildren(
      h('h3', {}, labelOf(item)),
      h(
        'div',
        { class: 'actions' },
        changes.canUndo(item) ? button('Undo this', () => void undo(item)) : '',
        button('Restore all files to this point', () => void restore(item)),
      ),
      h('ul', { class: 'paths' }, ...outsideGit.slice(0, maxPaths).map((difference) => pathElement(item, difference))),
      h('p', { class: 'summary', hidden: outsideGit.length <= maxPaths }, `and ${outsideGit.length - maxPaths} more`),
      h('p', { class: 'summary', hidden: inGit === 0 }, `and ${inGit} ${inGit === 1 ? 'path' : 'paths'} in .git`),
      tree ?? '',
    )
  }

  function pathElement(item: HistoryItem, difference: Difference): HTMLElement {
    const { path, before, after } = difference
    const what = before.kind === 'absent' ? 'added' : after.kind === 'absent' ? 'deleted' : 'modified'
    const isDirectory = before.kind === 'directory' || after.kind === 'directory'
    return h(
      'li',
      { class: what },
      isDirectory
        ? h('span', { class: 'path' }, `${path}/`)
        : button(path, () => void compare(item, difference), { class: 'path', title: 'Show the change' }),
      h('span', { class: 'what' }, what),
      button('Revert', () => void revert(item, difference), {
        'aria-label': `Revert ${path} to how it was before this change`,
      }),
    )
  }

  async function compare(item: HistoryItem, { path, bytesBefore, bytesAfter }: Difference): Promise<void> {
    const { openFileText } = await import('../editor/file-text.js')
    const decode = (bytes?: Uint8Array) => (bytes === undefined ? '' : (openFileText(bytes)?.text ?? '(not text)'))
    app.emit('compare', { path, before: decode(bytesBefore), after: decode(bytesAfter), title: labelOf(item) })
  }

  async function undo(item: HistoryItem): Promise<void> {
    const label = labelOf(item)
    const { files } = app.workspace
    const done = await app.attempt(`undo ${label}`, async () => {
      for (const { id } of [...item.records]) await files.run('undoChange', { id })
      return true
    })
    if (done) app.notify(`Undone: ${label}`)
  }

  async function restore(item: HistoryItem): Promise<void> {
    if (
      !(await confirmWith(
        `Go back to “${labelOf(item)}”?`,
        'Later changes are reverted as one new change, which you can undo.',
        'Restore',
      ))
    )
      return
    await app.attempt('restore', () => app.workspace.files.run('restorePoint', { point: idOf(item) }))
  }

  /** Restores the path to its state before the change, which is the point right after the previous change. */
  async function revert(item: HistoryItem, { path, before, bytesBefore }: Difference): Promise<void> {
    const { files } = app.workspace
    const id = idOf(item)
    const previous = changes.before(item)
    const point = previous && idOf(previous)
    await app.attempt(`revert ${path}`, async () => {
      if (point !== undefined) await files.run('restorePoint', { point, path })
      // Before the first change there is no point to restore.
      else if (before.kind === 'absent') await files.run('deleteEntry', { path, recursive: true })
      else if (bytesBefore === undefined) await files.run('undoChange', { id })
      else await files.run('writeFiles', { files: [{ path, content: bytesBefore }], makeParents: true })
    })
  }

  return { element, show, clear: () => element.replaceChildren() }
}

/** What an item did: of several saves, from before the first to after the last. */
async function differencesOf(app: App, { records }: HistoryItem): Promise<Difference[]> {
  const { files } = app.workspace
  const [newest] = records
  const oldest = records.at(-1) ?? newest
  const after = await files.run('compareVersions', { only: newest.id })
  if (oldest === newest) return after
  const began = await files.run('compareVersions', { only: oldest.id })
  return after.map((difference) => {
    const { before, bytesBefore } = began.find(({ path }) => path === difference.path) ?? difference
    const { bytesBefore: _, ...rest } = difference
    return { ...rest, before, ...(bytesBefore && { bytesBefore }) }
  })
}
