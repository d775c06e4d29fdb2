/** The history as a timeline: shows each change and restores any point in time. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import type { Difference } from '../../src/ops/history/read-history.js'
import type { App } from '../page/app.js'
import { askFor, confirmWith } from '../page/dialogs.js'
import { button, emptyState, h } from '../page/dom.js'

/** How many paths of one change are shown. */
const maxPaths = 200

export function historyPanel(app: App): HTMLElement {
  let records: ChangeRecord[] = []
  let selected: string | undefined
  const slider = h('input', { type: 'range', min: 0, value: 0, 'aria-label': 'Point in time' })
  const list = h('ol', { class: 'timeline', 'aria-label': 'Changes, newest first' })
  const details = h('div', { class: 'change-details' })

  app.on('opened', () => void load())
  app.on('changed', () => void load())
  slider.addEventListener('input', () => {
    const record = records[records.length - 1 - Number(slider.value)]
    if (record) void select(record.id)
  })

  async function load(): Promise<void> {
    const found = await app.attempt('read the history', () => app.workspace.files.run('listChanges', {}))
    if (found === undefined) return
    records = found
    if (!records.some(({ id }) => id === selected)) selected = undefined
    slider.max = String(Math.max(0, records.length - 1))
    if (selected === undefined) slider.value = slider.max
    slider.disabled = records.length === 0
    draw()
  }

  function draw(): void {
    if (records.length === 0) {
      list.replaceChildren(
        h(
          'li',
          {},
          emptyState(
            'No changes yet',
            'Every change is recorded here, including those made by tools, the shell and git, and can be undone.',
          ),
        ),
      )
      details.replaceChildren()
      return
    }
    const undone = new Set(records.flatMap(({ undoes }) => (undoes === undefined ? [] : [undoes])))
    list.replaceChildren(...records.map((record) => element(record, undone.has(record.id))))
  }

  function element(record: ChangeRecord, isUndone: boolean): HTMLElement {
    const { id, label, atMs, steps, checkpoint } = record
    const chosen = id === selected
    const [only] = steps
    const what =
      checkpoint !== undefined ? 'checkpoint' : steps.length === 1 && only ? only.path : `${steps.length} paths`
    const row = h(
      'button',
      {
        type: 'button',
        class: `change${checkpoint === undefined ? '' : ' checkpoint'}${isUndone ? ' undone' : ''}`,
        'aria-pressed': String(chosen),
      },
      h('span', { class: 'label' }, label),
      h('span', { class: 'when' }, `${new Date(atMs).toLocaleTimeString()} · ${what}${isUndone ? ' · undone' : ''}`),
    )
    row.addEventListener('click', () => void select(id))
    return h('li', {}, row)
  }

  async function select(id: string): Promise<void> {
    selected = id
    slider.value = String(records.length - 1 - records.findIndex((record) => record.id === id))
    draw()
    const record = records.find((each) => each.id === id)
    if (record === undefined) return
    const differences = await app.attempt('compare', () => app.workspace.files.run('compareVersions', { only: id }))
    if (selected !== id) return
    const outsideGit = (differences ?? []).filter(({ path }) => !/\/\.git(\/|$)/.test(path))
    const inGit = (differences?.length ?? 0) - outsideGit.length
    details.replaceChildren(
      h('h3', {}, record.label),
      h(
        'div',
        { class: 'actions' },
        canUndo(record) ? button('Undo this', () => void undo(record)) : undefined,
        button('Restore all files to this point', () => void restore(record)),
      ),
      h(
        'ul',
        { class: 'paths' },
        ...outsideGit.slice(0, maxPaths).map((difference) => pathElement(record, difference)),
      ),
      h('p', { class: 'summary', hidden: outsideGit.length <= maxPaths }, `and ${outsideGit.length - maxPaths} more`),
      h('p', { class: 'summary', hidden: inGit === 0 }, `and ${inGit} ${inGit === 1 ? 'path' : 'paths'} in .git`),
    )
  }

  function canUndo({ id, checkpoint, undoable }: ChangeRecord): boolean {
    return checkpoint === undefined && undoable && !records.some(({ undoes }) => undoes === id)
  }

  function pathElement(record: ChangeRecord, difference: Difference): HTMLElement {
    const { path, before, after } = difference
    const what = before.kind === 'absent' ? 'added' : after.kind === 'absent' ? 'deleted' : 'modified'
    const isDirectory = before.kind === 'directory' || after.kind === 'directory'
    return h(
      'li',
      { class: what },
      isDirectory
        ? h('span', { class: 'path' }, `${path}/`)
        : button(path, () => compare(record, difference), { class: 'path', title: 'Show the change' }),
      h('span', { class: 'what' }, what),
      button('Revert', () => void revert(record, difference), {
        'aria-label': `Revert ${path} to how it was before this change`,
      }),
    )
  }

  function compare({ label }: ChangeRecord, { path, bytesBefore, bytesAfter }: Difference): void {
    const decode = (bytes?: Uint8Array) => (bytes === undefined ? '' : new TextDecoder().decode(bytes))
    app.emit('compare', { path, before: decode(bytesBefore), after: decode(bytesAfter), title: label })
  }

  async function undo({ id, label }: ChangeRecord): Promise<void> {
    const done = await app.attempt(`undo ${label}`, () => app.workspace.files.run('undoChange', { id }))
    if (done) app.notify(`Undone: ${label}`)
  }

  async function restore({ id, label }: ChangeRecord): Promise<void> {
    if (
      !(await confirmWith(
        `Go back to “${label}”?`,
        'Later changes are reverted as one new change, which you can undo.',
        'Restore',
      ))
    )
      return
    await app.attempt('restore', () => app.workspace.files.run('restorePoint', { point: id }))
  }

  /** Restores the path to its state before the change, which is the point right after the previous change. */
  async function revert({ id }: ChangeRecord, { path, before, bytesBefore }: Difference): Promise<void> {
    const { files } = app.workspace
    const point = records[records.findIndex((record) => record.id === id) + 1]?.id
    await app.attempt(`revert ${path}`, async () => {
      if (point !== undefined) await files.run('restorePoint', { point, path })
      // Before the first change there is no point to restore.
      else if (before.kind === 'absent') await files.run('deleteEntry', { path, recursive: true })
      else if (bytesBefore === undefined) await files.run('undoChange', { id })
      else await files.run('writeFiles', { files: [{ path, content: bytesBefore }], makeParents: true })
    })
  }

  async function checkpoint(): Promise<void> {
    const name = await askFor('New checkpoint', { label: 'Name', accept: 'Create' })
    if (name) await app.attempt('create a checkpoint', () => app.workspace.files.run('setCheckpoint', { name }))
  }

  async function undoLast(): Promise<void> {
    const done = await app.attempt('undo the last change', () => app.workspace.files.run('undoChange', {}))
    if (done) app.notify('The last change was undone')
  }

  return h(
    'section',
    { class: 'panel history', 'aria-label': 'History' },
    h(
      'div',
      { class: 'toolbar' },
      button('Undo last', () => void undoLast()),
      button('Checkpoint…', () => void checkpoint()),
    ),
    slider,
    list,
    details,
  )
}
