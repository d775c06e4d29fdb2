/** The history as a timeline: shows each change and restores any point in time. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import type { Difference } from '../../src/ops/history/read-history.js'
import type { App } from '../page/app.js'
import { askFor, confirmWith } from '../page/dialogs.js'
import { button, emptyState, h } from '../page/dom.js'

/** How many paths of one change are shown. */
const maxPaths = 200
/** How many rows are made at a time. */
const chunk = 100
/** More rows than this are not kept when changes are added. */
const maxRows = 200
/** Another tab may report a change that is among the newest already. */
const recent = 50

/** The client that made a change, where the record says it. */
function whoMade({ by }: ChangeRecord): string {
  if (by === undefined) return ''
  if (by.name === 'polyfs ui') return ' · you'
  return ` · ${by.name}${by.version === undefined ? '' : ` ${by.version}`}`
}

export function historyPanel(app: App): HTMLElement {
  /** Newest first. */
  let records: ChangeRecord[] = []
  let undone = new Set<string>()
  let selected: string | undefined
  /** The records were not read yet, because the panel was not visible. */
  let isStale = true
  let isLoading = false
  /** The records that have rows: the newest, or those around the selected one. */
  let first = 0
  let last = 0
  const rows = new Map<string, HTMLElement>()
  const slider = h('input', { type: 'range', min: 0, value: 0, 'aria-label': 'Point in time' })
  const list = h('ol', { class: 'timeline', 'aria-label': 'Changes, newest first' })
  const details = h('div', { class: 'change-details' })

  app.on('opened', () => {
    records = []
    selected = undefined
    details.replaceChildren()
    stale()
  })
  app.on('changed', (record) => {
    if (isStale || isLoading || !list.checkVisibility()) stale()
    else add(record)
  })
  app.on('panel', (name) => {
    if (name === 'history' && isStale) void load()
  })
  slider.addEventListener('input', () => {
    const record = records[records.length - 1 - Number(slider.value)]
    if (record) void select(record.id)
  })
  list.addEventListener('scroll', () => {
    const rest = list.scrollHeight - list.scrollTop - list.clientHeight
    if (rest < 200 && last < records.length) show(first, last + chunk)
    else if (list.scrollTop < 200 && first > 0) show(first - chunk, last)
  })

  /** The history may be long, so it is read only while it is visible. */
  function stale(): void {
    isStale = true
    if (list.checkVisibility()) void load()
  }

  async function load(): Promise<void> {
    if (isLoading) return
    isLoading = true
    isStale = false
    const { files } = app.workspace
    const found = await app.attempt('read the history', () => files.run('listChanges', {}))
    isLoading = false
    // Something was changed while the records were read.
    if (isStale || files !== app.workspace.files) return stale()
    if (found === undefined) return
    records = found
    undone = new Set(records.flatMap(({ undoes }) => (undoes === undefined ? [] : [undoes])))
    if (!records.some(({ id }) => id === selected)) selected = undefined
    rows.clear()
    updateSlider()
    show(0, chunk)
  }

  /** Adds one record; the cost does not depend on how many there are. */
  function add(record: ChangeRecord): void {
    if (records.some(({ id }, index) => index < recent && id === record.id)) return
    records.unshift(record)
    if (record.undoes !== undefined) {
      undone.add(record.undoes)
      rows.delete(record.undoes)
    }
    updateSlider()
    if (first > 0) {
      first += 1
      last += 1
    } else if (record.undoes !== undefined || rows.size === 0) show(0, Math.max(last + 1, chunk))
    else prepend(record)
  }

  function prepend(record: ChangeRecord): void {
    const row = element(record, false)
    rows.set(record.id, row)
    list.prepend(row)
    last += 1
    if (last <= maxRows) return
    last -= 1
    list.lastElementChild?.remove()
    const dropped = records[last]
    if (dropped) rows.delete(dropped.id)
  }

  function updateSlider(): void {
    slider.max = String(Math.max(0, records.length - 1))
    slider.disabled = records.length === 0
    const index = selected === undefined ? 0 : records.findIndex(({ id }) => id === selected)
    slider.value = String(records.length - 1 - index)
  }

  /** Makes rows for a part of the records. Rows that are there already are used again. */
  function show(from: number, to: number): void {
    first = Math.max(0, from)
    last = Math.min(records.length, Math.max(to, first))
    if (records.length === 0) {
      rows.clear()
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
      return
    }
    const wanted = records.slice(first, last)
    const elements = wanted.map((record) => {
      const known = rows.get(record.id) ?? element(record, undone.has(record.id))
      rows.set(record.id, known)
      return known
    })
    const ids = new Set(wanted.map(({ id }) => id))
    for (const id of rows.keys()) if (!ids.has(id)) rows.delete(id)
    const before = list.scrollHeight
    const [top] = elements
    const isAbove = top !== undefined && top !== list.firstElementChild && list.scrollTop > 0
    list.replaceChildren(...elements)
    // What is in view stays in view.
    if (isAbove) list.scrollTop += list.scrollHeight - before
  }

  function element(record: ChangeRecord, isUndone: boolean): HTMLElement {
    const { id, atMs, steps, checkpoint } = record
    const [only] = steps
    const what =
      checkpoint !== undefined ? 'checkpoint' : steps.length === 1 && only ? only.path : `${steps.length} paths`
    const row = h(
      'button',
      {
        type: 'button',
        class: `change${checkpoint === undefined ? '' : ' checkpoint'}${isUndone ? ' undone' : ''}`,
        'aria-pressed': String(id === selected),
      },
      h('span', { class: 'label' }, labelOf(record)),
      h(
        'span',
        { class: 'when' },
        `${new Date(atMs).toLocaleTimeString()}${whoMade(record)} · ${what}${isUndone ? ' · undone' : ''}`,
      ),
    )
    row.addEventListener('click', () => void select(id))
    return h('li', {}, row)
  }

  /** The label for people: names a restored point by its label, not by its id. */
  function labelOf({ label }: ChangeRecord): string {
    const [, point] = /^restore (\S+)$/.exec(label) ?? []
    const restored = records.find(({ id }) => id === point)
    return restored === undefined ? label : `restore to “${labelOf(restored)}”`
  }

  async function select(id: string): Promise<void> {
    const index = records.findIndex((record) => record.id === id)
    selected = id
    slider.value = String(records.length - 1 - index)
    if (index < first || index >= last) show(index - chunk / 2, index + chunk / 2)
    for (const [each, row] of rows) row.firstElementChild?.setAttribute('aria-pressed', String(each === id))
    rows.get(id)?.scrollIntoView({ block: 'nearest' })
    const record = records.find((each) => each.id === id)
    if (record === undefined) return
    const differences = await app.attempt('compare', () => app.workspace.files.run('compareVersions', { only: id }))
    if (selected !== id) return
    const outsideGit = (differences ?? []).filter(({ path }) => !/\/\.git(\/|$)/.test(path))
    const inGit = (differences?.length ?? 0) - outsideGit.length
    details.replaceChildren(
      h('h3', {}, labelOf(record)),
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
    return checkpoint === undefined && undoable && !undone.has(id)
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
        : button(path, () => void compare(record, difference), { class: 'path', title: 'Show the change' }),
      h('span', { class: 'what' }, what),
      button('Revert', () => void revert(record, difference), {
        'aria-label': `Revert ${path} to how it was before this change`,
      }),
    )
  }

  async function compare(record: ChangeRecord, { path, bytesBefore, bytesAfter }: Difference): Promise<void> {
    const { openFileText } = await import('../editor/file-text.js')
    const decode = (bytes?: Uint8Array) => (bytes === undefined ? '' : (openFileText(bytes)?.text ?? '(not text)'))
    app.emit('compare', { path, before: decode(bytesBefore), after: decode(bytesAfter), title: labelOf(record) })
  }

  async function undo(record: ChangeRecord): Promise<void> {
    const { id } = record
    const label = labelOf(record)
    const done = await app.attempt(`undo ${label}`, () => app.workspace.files.run('undoChange', { id }))
    if (done) app.notify(`Undone: ${label}`)
  }

  async function restore(record: ChangeRecord): Promise<void> {
    const { id } = record
    const label = labelOf(record)
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
