/** The history as a list of rows, newest first. A long history has rows for a part of it: the newest, or what is around the selected item. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import type { App } from '../page/app.js'
import { emptyState, h } from '../page/dom.js'
import type { Added, ChangeList } from './change-list.js'
import { type HistoryItem, idOf, whenOf } from './history-items.js'

export interface Timeline {
  readonly element: HTMLElement
  /** The id of the selected item. */
  readonly selected: string | undefined
  select(id: string): void
  /** Selects nothing, from the next drawing on. */
  unselect(): void
  /** Draws all items again, from the newest on. */
  reset(): void
  /** Draws what a record has changed that was just added. */
  follow(record: ChangeRecord, added: Added): void
}

/** How many rows are made at a time. */
const chunk = 100
/** More rows than this are not kept when changes are added. */
const maxRows = 200

/** `onChosen` is called when the user clicks an item. */
export function timeline(app: App, changes: ChangeList, { onChosen }: { onChosen(item: HistoryItem): void }): Timeline {
  const rows = new Map<string, HTMLElement>()
  let selected: string | undefined
  /** The items that have rows. */
  let first = 0
  let last = 0
  const element = h('ol', { class: 'timeline', 'aria-label': 'Changes, newest first' })
  element.addEventListener('scroll', () => {
    const rest = element.scrollHeight - element.scrollTop - element.clientHeight
    if (rest < 200 && last < changes.items.length) show(first, last + chunk)
    else if (element.scrollTop < 200 && first > 0) show(first - chunk, last)
  })

  /** Makes rows for a part of the items. Rows that are there already are used again. */
  function show(from: number, to: number): void {
    const { items } = changes
    first = Math.max(0, from)
    last = Math.min(items.length, Math.max(to, first))
    if (items.length === 0) {
      rows.clear()
      element.replaceChildren(noChanges())
      return
    }
    const wanted = items.slice(first, last)
    const elements = wanted.map((item) => {
      const known = rows.get(idOf(item)) ?? rowOf(item)
      rows.set(idOf(item), known)
      return known
    })
    const ids = new Set(wanted.map(idOf))
    for (const id of rows.keys()) if (!ids.has(id)) rows.delete(id)
    const before = element.scrollHeight
    const [top] = elements
    const isAbove = top !== undefined && top !== element.firstElementChild && element.scrollTop > 0
    element.replaceChildren(...elements)
    // What is in view stays in view.
    if (isAbove) element.scrollTop += element.scrollHeight - before
  }

  function prependNewest(): void {
    const [item] = changes.items
    if (item === undefined) return
    const row = rowOf(item)
    rows.set(idOf(item), row)
    element.prepend(row)
    last += 1
    if (last <= maxRows) return
    last -= 1
    element.lastElementChild?.remove()
    const dropped = changes.items[last]
    if (dropped) rows.delete(idOf(dropped))
  }

  function rowOf(item: HistoryItem): HTMLElement {
    const [record] = item.records
    const { id, atMs, steps, checkpoint } = record
    const isUndone = item.records.every(changes.isUndone)
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
      h('span', { class: 'label' }, changes.labelOf(item)),
      h('span', { class: 'when' }, facts.filter(Boolean).join(' · ')),
    )
    row.addEventListener('click', () => onChosen(item))
    return h('li', {}, row)
  }

  return {
    element,
    get selected() {
      return selected
    },
    select(id) {
      selected = id
      const index = changes.indexOf(id)
      if (index < first || index >= last) show(index - chunk / 2, index + chunk / 2)
      for (const [each, row] of rows) row.firstElementChild?.setAttribute('aria-pressed', String(each === id))
      rows.get(id)?.scrollIntoView({ block: 'nearest' })
    },
    unselect() {
      selected = undefined
    },
    reset() {
      if (changes.indexOf(selected) < 0) selected = undefined
      rows.clear()
      show(0, chunk)
    },
    follow({ id, undoes }, { joined, undone }) {
      for (const item of undone) rows.delete(idOf(item))
      if (joined !== undefined) {
        if (selected === joined) selected = id
        rows.delete(joined)
        if (first === 0) show(0, Math.max(last, chunk))
      } else if (first > 0) {
        first += 1
        last += 1
      } else if (undoes !== undefined || rows.size === 0) show(0, Math.max(last + 1, chunk))
      else prependNewest()
    },
  }
}

function noChanges(): HTMLElement {
  return h(
    'li',
    {},
    emptyState(
      'No changes yet',
      'Every change is recorded here, including those made by tools, the shell and git, and can be undone.',
    ),
  )
}
