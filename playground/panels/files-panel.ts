/** The files of the workspace as a tree, with what can be done to them. */
import { dirname } from '../../src/fs/path.js'
import { type ChangedPaths, changedPaths } from '../files/changed-paths.js'
import { dragRows } from '../files/drag-rows.js'
import { createEntry, deleteEntry, downloadFile, duplicateEntry, renameEntry } from '../files/entry-actions.js'
import { type Row, treeRows } from '../files/tree-rows.js'
import { treeView } from '../files/tree-view.js'
import type { App } from '../page/app.js'
import { openMenu } from '../page/dialogs.js'
import { button, emptyState, h, iconButton } from '../page/dom.js'
import { addFiles } from '../page/dropped-files.js'

export function filesPanel(app: App): HTMLElement {
  let changed: ChangedPaths = changedPaths()
  const rows = treeRows(app, { onRows: update })
  const tree = treeView(rows, () => changed)
  const note = h('div')
  const picked = h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'Files to upload' })
  picked.addEventListener('change', () => {
    const files = [...(picked.files ?? [])]
    picked.value = ''
    void app.attempt('upload the files', () => addFiles(app, files, targetDirectory()))
  })
  const toolbar = h(
    'div',
    { class: 'toolbar', role: 'toolbar', 'aria-label': 'Files' },
    iconButton('+', 'New file', () => void createEntry(app, 'file', targetDirectory())),
    iconButton('⊞', 'New folder', () => void createEntry(app, 'directory', targetDirectory())),
    iconButton('⇪', 'Upload files', () => picked.click()),
    iconButton('⟳', 'Read the files again', () => app.emit('outside', {})),
    iconButton('⊟', 'Collapse all', rows.collapseAll),
  )

  app.on('opened', (opened) => {
    tree.reset()
    changed = changedPaths()
    void app.attempt('read the history', async () => {
      const records = await app.workspace.files.run('listChanges', {})
      for (const record of [...records].reverse()) changed.add(record)
      tree.draw()
    })
    void rows.open(opened.about.root).then(() => app.emit('listed', opened))
  })
  app.on('changed', (record) => {
    changed.add(record)
    void rows.follow(record).then(tree.draw)
  })
  app.on('outside', ({ paths }) => {
    rows.listAgain(paths && new Set(paths.map(dirname)), { isVisible: tree.element.checkVisibility() })
  })
  app.on('panel', (name) => name === 'files' && void rows.listStale())
  app.on('show', ({ path }) => void rows.reveal(path).then(() => tree.select(path)))

  tree.element.addEventListener('keydown', onKey)
  tree.element.addEventListener('contextmenu', (event) => {
    const row = tree.rowAt(event)
    event.preventDefault()
    if (row) tree.select(row.path)
    menu(row, event.clientX, event.clientY)
  })
  tree.element.addEventListener('click', (event) => {
    const row = tree.rowAt(event)
    if (row === undefined) return
    tree.select(row.path)
    if ((event.target as Element).closest('.more')) menu(row, event.clientX, event.clientY)
    else activate(row)
  })
  dragRows(app, rows, tree)

  function update(): void {
    const noFiles = () =>
      emptyState(
        'No files yet',
        'Create one, drop files here, or let an agent write some.',
        button('New file', () => void createEntry(app, 'file', rows.root)),
      )
    note.replaceChildren(...(rows.isEmpty ? [noFiles()] : []))
    tree.draw()
  }

  function targetDirectory(): string {
    return rows.directoryOf(rows.find(tree.selected))
  }

  function activate(row: Row, focus = false): void {
    if (row.kind === 'directory') rows.toggle(row.path, !rows.isExpanded(row.path))
    else app.emit('show', { path: row.path, focus })
  }

  function onKey(event: KeyboardEvent): void {
    const { all } = rows
    const index = all.findIndex(({ path }) => path === tree.selected)
    const row = all[index]
    const actions: Record<string, () => void> = {
      ArrowDown: () => tree.select(all[Math.min(all.length - 1, index + 1)]?.path),
      ArrowUp: () => tree.select(all[Math.max(0, index - 1)]?.path),
      Home: () => tree.select(all[0]?.path),
      End: () => tree.select(all.at(-1)?.path),
      ArrowRight: () => {
        if (row?.kind === 'directory' && !rows.isExpanded(row.path)) rows.toggle(row.path, true)
        else tree.select(all[index + 1]?.path ?? tree.selected)
      },
      ArrowLeft: () => {
        if (row?.kind === 'directory' && rows.isExpanded(row.path)) rows.toggle(row.path, false)
        else if (row && dirname(row.path) !== rows.root) tree.select(dirname(row.path))
      },
      Enter: () => row && activate(row, true),
      F2: () => row && void renameEntry(app, row),
      ContextMenu: () => menuOf(row),
      ...(event.shiftKey && { F10: () => menuOf(row) }),
      Delete: () => row && void deleteEntry(app, row),
    }
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key]
    if (action === undefined) return
    event.preventDefault()
    action()
  }

  /** Opens the menu of the selected row, for the keyboard. */
  function menuOf(row: Row | undefined): void {
    const box = row && tree.boxOf(row)
    const { left, top } = tree.element.getBoundingClientRect()
    menu(row, (box?.left ?? left) + 24, box?.bottom ?? top)
  }

  function menu(row: Row | undefined, x: number, y: number): void {
    const directory = rows.directoryOf(row)
    openMenu({ x, y }, [
      { label: 'New file…', run: () => void createEntry(app, 'file', directory) },
      { label: 'New folder…', run: () => void createEntry(app, 'directory', directory) },
      ...(row === undefined
        ? []
        : [
            { label: 'Rename or move…', hint: 'F2', run: () => void renameEntry(app, row) },
            { label: 'Duplicate', run: () => void duplicateEntry(app, row) },
            { label: 'Copy path', run: () => void navigator.clipboard.writeText(row.path) },
            ...(row.kind === 'file' ? [{ label: 'Download', run: () => void downloadFile(app, row) }] : []),
            { label: 'Delete', hint: 'Del', run: () => void deleteEntry(app, row) },
          ]),
    ])
  }

  return h('section', { class: 'panel files', 'aria-label': 'Files' }, toolbar, picked, note, tree.element)
}
