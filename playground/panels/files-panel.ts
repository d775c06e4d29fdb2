/** The file tree. Only visible rows are in the DOM, so a directory with thousands of entries costs no more than a small one. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import { basename, dirname, join } from '../../src/fs/path.js'
import type { Kind } from '../../src/fs/types.js'
import type { App } from '../page/app.js'
import { askFor, confirmWith, openMenu } from '../page/dialogs.js'
import { button, download, emptyState, formatBytes, h, iconButton } from '../page/dom.js'
import { addFiles, freeName } from '../page/dropped-files.js'
import { type ChangedPaths, changedPaths } from './changed-paths.js'

interface Row {
  path: string
  name: string
  kind: Kind
  depth: number
  size?: number
}

/** High enough for a finger on touch screens. */
const rowHeight = matchMedia('(pointer: coarse)').matches ? 40 : 26
const badges = { added: 'A', modified: 'M', deleted: 'D' } as const

export function filesPanel(app: App): HTMLElement {
  const listings = new Map<string, Row[]>()
  /** How often each directory was listed: of two listings at once, only the later one is shown. */
  const turns = new Map<string, number>()
  const expanded = new Set<string>()
  let rows: Row[] = []
  let selected: string | undefined
  let changed: ChangedPaths = changedPaths()
  let root = '/'
  /** Directories in which something may have changed while they were not visible. */
  const stale = new Set<string>()

  const space = h('div', { class: 'tree-space' })
  const tree = h('div', { class: 'tree', role: 'tree', tabindex: 0, 'aria-label': 'Files' }, space)
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
    iconButton('+', 'New file', () => void create('file', targetDirectory())),
    iconButton('⊞', 'New folder', () => void create('directory', targetDirectory())),
    iconButton('⇪', 'Upload files', () => picked.click()),
    iconButton('⟳', 'Read the files again', () => app.emit('outside', {})),
    iconButton('⊟', 'Collapse all', () => {
      expanded.clear()
      expanded.add(root)
      update()
    }),
  )

  app.on('opened', (opened) => {
    root = opened.about.root
    listings.clear()
    stale.clear()
    expanded.clear()
    expanded.add(root)
    selected = undefined
    changed = changedPaths()
    void app.attempt('read the history', async () => {
      const records = await app.workspace.files.run('listChanges', {})
      for (const record of [...records].reverse()) changed.add(record)
      draw()
    })
    void reload().then(() => app.emit('listed', opened))
  })
  app.on('changed', (record) => {
    changed.add(record)
    void refresh(record)
  })
  app.on('outside', ({ paths }) => {
    const touched = paths && new Set(paths.map(dirname))
    const isVisible = tree.checkVisibility()
    for (const directory of listings.keys()) {
      if (!(touched?.has(directory) ?? true)) continue
      if (isVisible && isShown(directory)) void load(directory)
      else stale.add(directory)
    }
  })
  app.on('panel', (name) => name === 'files' && void reloadStale())
  app.on('show', ({ path }) => void reveal(path))

  tree.addEventListener('scroll', draw)
  new ResizeObserver(draw).observe(tree)
  tree.addEventListener('keydown', onKey)
  tree.addEventListener('contextmenu', (event) => {
    const row = rowAt(event)
    event.preventDefault()
    if (row) select(row.path)
    menu(row, event.clientX, event.clientY)
  })
  tree.addEventListener('click', (event) => {
    const row = rowAt(event)
    if (row === undefined) return
    select(row.path)
    if ((event.target as Element).closest('.more')) menu(row, event.clientX, event.clientY)
    else activate(row)
  })
  tree.addEventListener('dragstart', (event) => {
    const row = rowAt(event)
    if (row) event.dataTransfer?.setData('application/x-polyfs-path', row.path)
  })
  tree.addEventListener('dragover', (event) => {
    markTarget(event.dataTransfer?.types.length ? directoryAt(event) : undefined)
    if (event.dataTransfer?.types.includes('application/x-polyfs-path')) event.preventDefault()
  })
  tree.addEventListener('dragleave', () => markTarget(undefined))
  tree.addEventListener('drop', (event) => {
    markTarget(undefined)
    const from = event.dataTransfer?.getData('application/x-polyfs-path')
    if (!from) return
    event.preventDefault()
    event.stopPropagation()
    const into = directoryAt(event)
    if (into !== dirname(from)) void move(from, join(into, basename(from)))
  })

  async function list(directory: string): Promise<Row[]> {
    const { entries } = await app.workspace.files.run('listDirectory', { path: directory })
    const depth = directory === root ? 0 : directory.slice(root === '/' ? 0 : root.length).split('/').length - 1
    const found = entries.map(({ name, kind, size }) => ({
      path: join(directory, name),
      name,
      kind,
      depth,
      ...(size !== undefined && { size }),
    }))
    return found.sort(
      (a, b) => Number(b.kind === 'directory') - Number(a.kind === 'directory') || (a.name < b.name ? -1 : 1),
    )
  }

  async function load(directory: string): Promise<void> {
    const turn = (turns.get(directory) ?? 0) + 1
    turns.set(directory, turn)
    stale.delete(directory)
    const found = await app.attempt(`list ${directory}`, () => list(directory))
    if (found === undefined || turns.get(directory) !== turn) return
    listings.set(directory, found)
    update()
  }

  async function reload(): Promise<void> {
    for (const directory of expanded) await load(directory)
  }

  async function reloadStale(): Promise<void> {
    for (const directory of [...stale]) if (isShown(directory)) await load(directory)
  }

  /** Its rows are in the tree. */
  function isShown(directory: string): boolean {
    return directory === root || (expanded.has(directory) && isShown(dirname(directory)))
  }

  /** Lists the changed directories again, as far as they are visible. */
  async function refresh({ steps }: ChangeRecord): Promise<void> {
    const touched = new Set(
      steps.flatMap((step) => [step.path, ...(step.do === 'rename' ? [step.to] : [])]).map(dirname),
    )
    for (const directory of touched) if (listings.has(directory)) await load(directory)
    for (const directory of listings.keys()) {
      if (directory !== root && !rows.some((row) => row.path === directory)) listings.delete(directory)
    }
    draw()
  }

  function update(): void {
    rows = []
    const visit = (directory: string) => {
      for (const row of listings.get(directory) ?? []) {
        rows.push(row)
        if (row.kind === 'directory' && expanded.has(row.path)) visit(row.path)
      }
    }
    visit(root)
    const isEmpty = rows.length === 0 && listings.has(root)
    note.replaceChildren(
      ...(isEmpty
        ? [
            emptyState(
              'No files yet',
              'Create one, drop files here, or let an agent write some.',
              button('New file', () => void create('file', root)),
            ),
          ]
        : []),
    )
    draw()
  }

  function draw(): void {
    space.style.height = `${rows.length * rowHeight}px`
    const first = Math.max(0, Math.floor(tree.scrollTop / rowHeight) - 5)
    const count = Math.ceil((tree.clientHeight || 600) / rowHeight) + 10
    space.replaceChildren(...rows.slice(first, first + count).map((row, index) => rowElement(row, first + index)))
    const active = rows.findIndex(({ path }) => path === selected)
    if (active >= first && active < first + count) tree.setAttribute('aria-activedescendant', `row-${active}`)
    else tree.removeAttribute('aria-activedescendant')
  }

  function rowElement(row: Row, index: number): HTMLElement {
    const { path, name, kind, depth, size } = row
    const isDirectory = kind === 'directory'
    const badge = changed.badge(path)
    const icon = isDirectory ? (expanded.has(path) ? '▾' : '▸') : kind === 'symlink' ? '↪' : ''
    return h(
      'div',
      {
        class: `row ${kind}${path === selected ? ' selected' : ''}${badge ? ` ${badge}` : ''}`,
        id: `row-${index}`,
        role: 'treeitem',
        'aria-level': depth + 1,
        'aria-selected': String(path === selected),
        'aria-expanded': isDirectory ? String(expanded.has(path)) : undefined,
        draggable: 'true',
        'data-path': path,
        title: size === undefined ? path : `${path} · ${formatBytes(size)}`,
        style: `height: ${rowHeight}px; top: ${index * rowHeight}px; padding-left: ${0.5 + depth * 0.9}rem`,
      },
      h('span', { class: 'twist', 'aria-hidden': 'true' }, icon),
      h('span', { class: 'name' }, name),
      badge && h('span', { class: 'badge', 'aria-hidden': 'true' }, badges[badge]),
      badge && h('span', { class: 'unseen' }, `, ${badge}`),
      isDirectory &&
        !badge &&
        changed.holdsChanges(path) &&
        h('span', { class: 'badge dot', 'aria-hidden': 'true' }, '•'),
      h('span', { class: 'more', 'aria-hidden': 'true' }, '⋯'),
    )
  }

  function rowAt(event: Event): Row | undefined {
    const path = (event.target as Element).closest<HTMLElement>('.row')?.dataset.path
    return rows.find((row) => row.path === path)
  }

  /** The directory under the pointer. */
  function directoryAt(event: Event): string {
    const row = rowAt(event)
    return row === undefined ? root : row.kind === 'directory' ? row.path : dirname(row.path)
  }

  /** Shows where a dragged file would go. */
  function markTarget(directory: string | undefined): void {
    for (const row of space.querySelectorAll<HTMLElement>('.row')) {
      row.classList.toggle('target', row.dataset.path === directory)
    }
    tree.classList.toggle('target', directory === root)
  }

  function select(path: string | undefined): void {
    selected = path
    const index = rows.findIndex((row) => row.path === path)
    if (index >= 0) {
      const top = index * rowHeight
      if (top < tree.scrollTop) tree.scrollTop = top
      else if (top + rowHeight > tree.scrollTop + tree.clientHeight)
        tree.scrollTop = top + rowHeight - tree.clientHeight
    }
    draw()
  }

  function activate(row: Row, focus = false): void {
    if (row.kind === 'directory') toggle(row.path, !expanded.has(row.path))
    else app.emit('show', { path: row.path, focus })
  }

  function toggle(path: string, open: boolean): void {
    if (open) {
      expanded.add(path)
      if (!listings.has(path)) void load(path)
      void reloadStale()
    } else expanded.delete(path)
    update()
  }

  async function reveal(path: string): Promise<void> {
    const above: string[] = []
    for (let at = dirname(path); at !== root && at !== '/'; at = dirname(at)) above.unshift(at)
    for (const directory of above) {
      expanded.add(directory)
      if (!listings.has(directory) || stale.has(directory)) await load(directory)
    }
    update()
    select(path)
  }

  function onKey(event: KeyboardEvent): void {
    const index = rows.findIndex(({ path }) => path === selected)
    const row = rows[index]
    const actions: Record<string, () => void> = {
      ArrowDown: () => select(rows[Math.min(rows.length - 1, index + 1)]?.path),
      ArrowUp: () => select(rows[Math.max(0, index - 1)]?.path),
      Home: () => select(rows[0]?.path),
      End: () => select(rows.at(-1)?.path),
      ArrowRight: () => {
        if (row?.kind === 'directory' && !expanded.has(row.path)) toggle(row.path, true)
        else select(rows[index + 1]?.path ?? selected)
      },
      ArrowLeft: () => {
        if (row?.kind === 'directory' && expanded.has(row.path)) toggle(row.path, false)
        else if (row && dirname(row.path) !== root) select(dirname(row.path))
      },
      Enter: () => row && activate(row, true),
      F2: () => row && void rename(row),
      ContextMenu: () => menuOf(row),
      ...(event.shiftKey && { F10: () => menuOf(row) }),
      Delete: () => row && void remove(row),
    }
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key]
    if (action === undefined) return
    event.preventDefault()
    action()
  }

  /** Opens the menu of the selected row, for the keyboard. */
  function menuOf(row: Row | undefined): void {
    const element = row && space.querySelector(`#row-${rows.indexOf(row)}`)
    const { left, bottom } = (element ?? tree).getBoundingClientRect()
    menu(row, left + 24, element ? bottom : tree.getBoundingClientRect().top)
  }

  function menu(row: Row | undefined, x: number, y: number): void {
    const directory = row === undefined ? root : row.kind === 'directory' ? row.path : dirname(row.path)
    openMenu({ x, y }, [
      { label: 'New file…', run: () => void create('file', directory) },
      { label: 'New folder…', run: () => void create('directory', directory) },
      ...(row === undefined
        ? []
        : [
            { label: 'Rename or move…', hint: 'F2', run: () => void rename(row) },
            { label: 'Duplicate', run: () => void duplicate(row) },
            { label: 'Copy path', run: () => void navigator.clipboard.writeText(row.path) },
            ...(row.kind === 'file' ? [{ label: 'Download', run: () => void save(row) }] : []),
            { label: 'Delete', hint: 'Del', run: () => void remove(row) },
          ]),
    ])
  }

  function targetDirectory(): string {
    const row = rows.find(({ path }) => path === selected)
    if (row === undefined) return root
    return row.kind === 'directory' ? row.path : dirname(row.path)
  }

  async function create(kind: 'file' | 'directory', directory: string): Promise<void> {
    const what = kind === 'file' ? 'file' : 'folder'
    const name = await askFor(`New ${what} in ${directory}`, { label: 'Name', accept: `Create ${what}` })
    if (!name) return
    const path = join(directory, name)
    await app.attempt(`create ${path}`, async () => {
      const { files } = app.workspace
      if (kind === 'directory') await files.run('makeDirectory', { path })
      else await files.run('writeFiles', { files: [{ path, content: '', expect: 'new' }], makeParents: true })
      if (kind === 'file') app.emit('show', { path })
    })
  }

  async function rename(row: Row): Promise<void> {
    const to = await askFor('Rename or move', { label: 'New path', value: row.path, accept: 'Move' })
    if (to && to !== row.path) await move(row.path, to)
  }

  async function move(from: string, to: string): Promise<void> {
    await app.attempt(`move ${from}`, () => app.workspace.files.run('moveEntry', { from, to, makeParents: true }))
  }

  async function duplicate({ path, kind }: Row): Promise<void> {
    const dot = kind === 'file' ? basename(path).lastIndexOf('.') : -1
    const name = basename(path)
    const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
    await app.attempt(`copy ${path}`, async () => {
      const taken = new Set((await list(dirname(path))).map((row) => row.name))
      const copy = freeName(`${stem} copy`, ending, taken)
      await app.workspace.files.run('copyEntry', { from: path, to: join(dirname(path), copy) })
    })
  }

  async function remove({ path, kind }: Row): Promise<void> {
    const what = kind === 'directory' ? `${path} and everything in it` : path
    if (!(await confirmWith(`Delete ${what}?`, 'You can restore it from the history.', 'Delete'))) return
    await app.attempt(`delete ${path}`, () =>
      app.workspace.files.run('deleteEntry', { path, recursive: kind === 'directory' }),
    )
  }

  async function save({ path, name }: Row): Promise<void> {
    await app.attempt(`download ${path}`, async () => {
      const { bytes } = await app.workspace.files.run('readBytes', { path })
      download(name, bytes as BlobPart)
    })
  }

  return h('section', { class: 'panel files', 'aria-label': 'Files' }, toolbar, picked, note, tree)
}
