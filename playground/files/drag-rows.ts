/** Moves files by dragging their rows to a directory. Files from outside may be dropped too: the page takes those. */
import { basename, dirname, join } from '../../src/fs/path.js'
import type { App } from '../page/app.js'
import { moveEntry } from './entry-actions.js'
import type { TreeRows } from './tree-rows.js'
import type { TreeView } from './tree-view.js'

const draggedType = 'application/x-polyfs-path'

export function dragRows(app: App, rows: TreeRows, view: TreeView): void {
  const { element } = view
  /** The directory under the pointer. */
  const directoryAt = (event: Event) => rows.directoryOf(view.rowAt(event))

  element.addEventListener('dragstart', (event) => {
    const row = view.rowAt(event)
    if (row) event.dataTransfer?.setData(draggedType, row.path)
  })
  element.addEventListener('dragover', (event) => {
    view.markTarget(event.dataTransfer?.types.length ? directoryAt(event) : undefined)
    if (event.dataTransfer?.types.includes(draggedType)) event.preventDefault()
  })
  element.addEventListener('dragleave', () => view.markTarget(undefined))
  element.addEventListener('drop', (event) => {
    view.markTarget(undefined)
    const from = event.dataTransfer?.getData(draggedType)
    if (!from) return
    event.preventDefault()
    event.stopPropagation()
    const into = directoryAt(event)
    if (into !== dirname(from)) void moveEntry(app, from, join(into, basename(from)))
  })
}
