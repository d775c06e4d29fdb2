/** The history as a timeline: shows each change and restores any point in time. */
import { type ChangeRecord, undoneBy } from '../../src/change/journal/record.js'
import type { Difference } from '../../src/ops/history/read-history.js'
import { addRecord, type HistoryItem, hasUndoable, itemsOf, redoable } from '../history/history-items.js'
import { previewOf } from '../history/history-preview.js'
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

export function historyPanel(app: App): HTMLElement {
  /** Newest first. */
  let items: HistoryItem[] = []
  let undone = new Set<string>()
  let selected: string | undefined
  /** The records were not read yet, because the panel was not visible. */
  let isStale = true
  let isLoading = false
  /** The items that have rows: the newest, or those around the selected one. */
  let first = 0
  let last = 0
  /** How often a point was looked at; only the last look is shown. */
  let looks = 0
  const rows = new Map<string, HTMLElement>()
  const slider = h('input', { type: 'range', min: 0, value: 0, 'aria-label': 'Point in time' })
  const list = h('ol', { class: 'timeline', 'aria-label': 'Changes, newest first' })
  const details = h('div', { class: 'change-details' })
  const undoButton = button('Undo last', () => void undoLast(), { disabled: true })
  const redoButton = button('Redo', () => void redo(), { disabled: true })
  const isTyped = (record: ChangeRecord) => app.authorOf(record) === 'you'

  app.on('opened', () => {
    items = []
    selected = undefined
    details.replaceChildren()
    updateControls()
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
    const item = items[items.length - 1 - Number(slider.value)]
    if (item) void select(idOf(item), { withTree: true })
  })
  list.addEventListener('scroll', () => {
    const rest = list.scrollHeight - list.scrollTop - list.clientHeight
    if (rest < 200 && last < items.length) show(first, last + chunk)
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
    items = itemsOf(found, isTyped)
    undone = new Set(found.flatMap(undoneBy))
    if (!items.some((item) => idOf(item) === selected)) selected = undefined
    rows.clear()
    updateControls()
    show(0, chunk)
  }

  /** Adds one record; the cost does not depend on how many there are. */
  function add(record: ChangeRecord): void {
    if (items.some(({ records }, index) => index < recent && records.some(({ id }) => id === record.id))) return
    const before = items[0] && idOf(items[0])
    const { joined } = addRecord(items, record, isTyped)
    for (const each of undoneBy(record)) {
      undone.add(each)
      const target = items.find(({ records }) => records.some(({ id }) => id === each))
      if (target) rows.delete(idOf(target))
    }
    if (joined && before !== undefined) {
      if (selected === before) selected = record.id
      rows.delete(before)
    }
    updateControls()
    if (joined) {
      if (first === 0) show(0, Math.max(last, chunk))
    } else if (first > 0) {
      first += 1
      last += 1
    } else if (record.undoes !== undefined || rows.size === 0) show(0, Math.max(last + 1, chunk))
    else prepend(record.id)
  }

  function prepend(id: string): void {
    const [item] = items
    if (item === undefined) return
    const row = element(item)
    rows.set(id, row)
    list.prepend(row)
    last += 1
    if (last <= maxRows) return
    last -= 1
    list.lastElementChild?.remove()
    const dropped = items[last]
    if (dropped) rows.delete(idOf(dropped))
  }

  function updateControls(): void {
    slider.max = String(Math.max(0, items.length - 1))
    slider.disabled = items.length === 0
    const index = selected === undefined ? 0 : items.findIndex((item) => idOf(item) === selected)
    slider.value = String(items.length - 1 - index)
    undoButton.disabled = !hasUndoable(items)
    redoButton.disabled = nextRedo() === undefined
  }

  /** Looks at the newest changes only: a redo is possible until something else is changed. */
  function nextRedo(): ChangeRecord | undefined {
    return redoable(items.slice(0, recent).flatMap(({ records }) => records))
  }

  /** Makes rows for a part of the items. Rows that are there already are used again. */
  function show(from: number, to: number): void {
    first = Math.max(0, from)
    last = Math.min(items.length, Math.max(to, first))
    if (items.length === 0) {
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
    const wanted = items.slice(first, last)
    const elements = wanted.map((item) => {
      const known = rows.get(idOf(item)) ?? element(item)
      rows.set(idOf(item), known)
      return known
    })
    const ids = new Set(wanted.map(idOf))
    for (const id of rows.keys()) if (!ids.has(id)) rows.delete(id)
    const before = list.scrollHeight
    const [top] = elements
    const isAbove = top !== undefined && top !== list.firstElementChild && list.scrollTop > 0
    list.replaceChildren(...elements)
    // What is in view stays in view.
    if (isAbove) list.scrollTop += list.scrollHeight - before
  }

  function element(item: HistoryItem): HTMLElement {
    const [record] = item.records
    const { id, atMs, steps, checkpoint } = record
    const isUndone = item.records.every((each) => undone.has(each.id))
    const [only] = steps
    const what =
      checkpoint !== undefined ? 'checkpoint' : steps.length === 1 && only ? only.path : `${steps.length} paths`
    const facts = [
      app.authorOf(record),
      whenOf(atMs),
      what,
      item.records.length > 1 && `${item.records.length} saves`,
      isUndone && 'undone',
    ]
    const row = h(
      'button',
      {
        type: 'button',
        class: `change${checkpoint === undefined ? '' : ' checkpoint'}${isUndone ? ' undone' : ''}`,
        'aria-pressed': String(id === selected),
        title: new Date(atMs).toLocaleString(),
      },
      h('span', { class: 'label' }, labelOf(item)),
      h('span', { class: 'when' }, facts.filter(Boolean).join(' · ')),
    )
    row.addEventListener('click', () => void select(idOf(item)))
    return h('li', {}, row)
  }

  /** The label for people: names a restored point by its label, not by its id. */
  function labelOf({ records: [{ label }, ...others] }: HistoryItem): string {
    if (others.length > 0) return label.replace(/write$/, 'typing')
    const [, point] = /^restore (\S+)$/.exec(label) ?? []
    const restored = items.find(({ records }) => records.some(({ id }) => id === point))
    return restored === undefined ? label : `restore to “${labelOf(restored)}”`
  }

  async function select(id: string, { withTree = false } = {}): Promise<void> {
    looks += 1
    const look = looks
    const index = items.findIndex((item) => idOf(item) === id)
    selected = id
    slider.value = String(items.length - 1 - index)
    if (index < first || index >= last) show(index - chunk / 2, index + chunk / 2)
    for (const [each, row] of rows) row.firstElementChild?.setAttribute('aria-pressed', String(each === id))
    rows.get(id)?.scrollIntoView({ block: 'nearest' })
    const item = items[index]
    if (item === undefined) return
    const shown = await app.attempt('compare', async () => ({
      differences: await differencesOf(item),
      tree: withTree
        ? await previewOf(app, id, `${labelOf(item)}, ${whenOf(item.records[0].atMs)}, and now`)
        : undefined,
    }))
    if (look !== looks || shown === undefined) return
    const { differences, tree } = shown
    const outsideGit = differences.filter(({ path }) => !/\/\.git(\/|$)/.test(path))
    const inGit = differences.length - outsideGit.length
    details.replaceChildren(
      h('h3', {}, labelOf(item)),
      h(
        'div',
        { class: 'actions' },
        canUndo(item) ? button('Undo this', () => void undo(item)) : '',
        button('Restore all files to this point', () => void restore(item)),
      ),
      h('ul', { class: 'paths' }, ...outsideGit.slice(0, maxPaths).map((difference) => pathElement(item, difference))),
      h('p', { class: 'summary', hidden: outsideGit.length <= maxPaths }, `and ${outsideGit.length - maxPaths} more`),
      h('p', { class: 'summary', hidden: inGit === 0 }, `and ${inGit} ${inGit === 1 ? 'path' : 'paths'} in .git`),
      tree ?? '',
    )
  }

  /** What an item did: of several saves, from before the first to after the last. */
  async function differencesOf({ records }: HistoryItem): Promise<Difference[]> {
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

  function canUndo({ records }: HistoryItem): boolean {
    return records.every(({ id, checkpoint, undoable }) => checkpoint === undefined && undoable && !undone.has(id))
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
    const previous = items[items.indexOf(item) + 1]
    const point = previous && idOf(previous)
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

  /** Takes back an undo; one of several saves with the others. */
  async function redo(): Promise<void> {
    const record = nextRedo()
    const item = record && items.find(({ records }) => records.includes(record))
    if (item === undefined) return
    const label = labelOf(item)
    const { files } = app.workspace
    const done = await app.attempt('redo', async () => {
      for (const { id } of [...item.records]) if (!undone.has(id)) await files.run('undoChange', { id })
      return true
    })
    if (done) app.notify(`Redone: ${label.replace(/^undo /, '')}`)
  }

  return h(
    'section',
    { class: 'panel history', 'aria-label': 'History' },
    h(
      'div',
      { class: 'toolbar' },
      undoButton,
      redoButton,
      button('Checkpoint…', () => void checkpoint()),
    ),
    slider,
    list,
    details,
  )
}

/** An item has the id of its newest change, whose state it restores. */
function idOf({ records: [newest] }: HistoryItem): string {
  return newest.id
}

/** The time, with the date unless it is today's. */
function whenOf(atMs: number): string {
  const at = new Date(atMs)
  const time = at.toLocaleTimeString()
  if (at.toDateString() === new Date().toDateString()) return time
  return `${at.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' })}, ${time}`
}
