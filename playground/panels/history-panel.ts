/** The history as a timeline: shows each change and restores any point in time. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import { changeDetails } from '../history/change-details.js'
import { changeList } from '../history/change-list.js'
import { idOf } from '../history/history-items.js'
import { timeline } from '../history/timeline.js'
import type { App } from '../page/app.js'
import { askFor } from '../page/dialogs.js'
import { button, h } from '../page/dom.js'

export function historyPanel(app: App): HTMLElement {
  /** The records were not read yet, because the panel was not visible. */
  let isStale = true
  let isLoading = false
  const changes = changeList((record) => app.authorOf(record) === 'you')
  const list = timeline(app, changes, { onChosen: (item) => select(idOf(item)) })
  const details = changeDetails(app, changes)
  const slider = h('input', { type: 'range', min: 0, value: 0, 'aria-label': 'Point in time' })
  const undoButton = button('Undo last', () => void undoLast(), { disabled: true })
  const redoButton = button('Redo', () => void redo(), { disabled: true })

  app.on('opened', () => {
    changes.load([])
    list.unselect()
    details.clear()
    updateControls()
    stale()
  })
  app.on('changed', (record) => {
    if (isStale || isLoading || !list.element.checkVisibility()) stale()
    else add(record)
  })
  app.on('panel', (name) => {
    if (name === 'history' && isStale) void load()
  })
  slider.addEventListener('input', () => {
    const item = changes.items[changes.items.length - 1 - Number(slider.value)]
    if (item) select(idOf(item), { withTree: true })
  })

  /** The history may be long, so it is read only while it is visible. */
  function stale(): void {
    isStale = true
    if (list.element.checkVisibility()) void load()
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
    changes.load(found)
    list.reset()
    updateControls()
  }

  function add(record: ChangeRecord): void {
    const added = changes.add(record)
    if (added === undefined) return
    list.follow(record, added)
    updateControls()
  }

  function updateControls(): void {
    updateSlider()
    undoButton.disabled = !changes.hasUndoable()
    redoButton.disabled = changes.nextRedo() === undefined
  }

  function updateSlider(): void {
    const { length } = changes.items
    slider.max = String(Math.max(0, length - 1))
    slider.disabled = length === 0
    const index = list.selected === undefined ? 0 : changes.indexOf(list.selected)
    slider.value = String(length - 1 - index)
  }

  function select(id: string, { withTree = false } = {}): void {
    list.select(id)
    updateSlider()
    void details.show(changes.items[changes.indexOf(id)], { withTree })
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
    const record = changes.nextRedo()
    const item = record && changes.items.find(({ records }) => records.includes(record))
    if (item === undefined) return
    const label = changes.labelOf(item)
    const { files } = app.workspace
    const done = await app.attempt('redo', async () => {
      for (const each of [...item.records]) {
        if (!changes.isUndone(each)) await files.run('undoChange', { id: each.id })
      }
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
    list.element,
    details.element,
  )
}
