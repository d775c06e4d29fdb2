/** The rows of the file tree: which directories are listed and expanded, and which have to be listed again. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import { dirname, join } from '../../src/fs/path.js'
import type { Kind } from '../../src/fs/types.js'
import type { App } from '../page/app.js'

export interface Row {
  path: string
  name: string
  kind: Kind
  depth: number
  size?: number
}

export interface TreeRows {
  readonly root: string
  /** All rows, from top to bottom. */
  readonly all: readonly Row[]
  /** True when the root was listed, and holds nothing. */
  readonly isEmpty: boolean
  find(path: string | undefined): Row | undefined
  isExpanded(directory: string): boolean
  /** The row itself if it is a directory, else the one above it; the root without a row. */
  directoryOf(row: Row | undefined): string
  /** Starts anew, with the files of another workspace. */
  open(root: string): Promise<void>
  toggle(directory: string, isOpen: boolean): void
  collapseAll(): void
  /** Expands what is above the path. */
  reveal(path: string): Promise<void>
  /** Lists the changed directories again, as far as they are listed. */
  follow(record: ChangeRecord): Promise<void>
  /** Lists these directories again, or all: now if their rows are in view, else when they are. */
  listAgain(directories: ReadonlySet<string> | undefined, options: { isVisible: boolean }): void
  /** Lists again what was changed while it was not in view. */
  listStale(): Promise<void>
}

/** `onRows` is called when there are other rows. */
export function treeRows(app: App, { onRows }: { onRows(): void }): TreeRows {
  const listings = new Map<string, Row[]>()
  /** How often each directory was listed: of two listings at once, only the later one is shown. */
  const turns = new Map<string, number>()
  const expanded = new Set<string>()
  /** Directories in which something may have changed while they were not visible. */
  const stale = new Set<string>()
  let rows: Row[] = []
  let root = '/'

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

  function update(): void {
    rows = []
    const visit = (directory: string) => {
      for (const row of listings.get(directory) ?? []) {
        rows.push(row)
        if (row.kind === 'directory' && expanded.has(row.path)) visit(row.path)
      }
    }
    visit(root)
    onRows()
  }

  /** Its rows are in the tree. */
  function isShown(directory: string): boolean {
    return directory === root || (expanded.has(directory) && isShown(dirname(directory)))
  }

  async function listStale(): Promise<void> {
    for (const directory of [...stale]) if (isShown(directory)) await load(directory)
  }

  return {
    get root() {
      return root
    },
    get all() {
      return rows
    },
    get isEmpty() {
      return rows.length === 0 && listings.has(root)
    },
    find: (path) => rows.find((row) => row.path === path),
    isExpanded: (directory) => expanded.has(directory),
    directoryOf(row) {
      if (row === undefined) return root
      return row.kind === 'directory' ? row.path : dirname(row.path)
    },
    async open(given) {
      root = given
      listings.clear()
      stale.clear()
      expanded.clear()
      expanded.add(root)
      for (const directory of expanded) await load(directory)
    },
    toggle(directory, isOpen) {
      if (isOpen) {
        expanded.add(directory)
        if (!listings.has(directory)) void load(directory)
        void listStale()
      } else expanded.delete(directory)
      update()
    },
    collapseAll() {
      expanded.clear()
      expanded.add(root)
      update()
    },
    async reveal(path) {
      const above: string[] = []
      for (let at = dirname(path); at !== root && at !== '/'; at = dirname(at)) above.unshift(at)
      for (const directory of above) {
        expanded.add(directory)
        if (!listings.has(directory) || stale.has(directory)) await load(directory)
      }
      update()
    },
    async follow({ steps }) {
      const touched = new Set(
        steps.flatMap((step) => [step.path, ...(step.do === 'rename' ? [step.to] : [])]).map(dirname),
      )
      for (const directory of touched) if (listings.has(directory)) await load(directory)
      for (const directory of listings.keys()) {
        if (directory !== root && !rows.some((row) => row.path === directory)) listings.delete(directory)
      }
    },
    listAgain(directories, { isVisible }) {
      for (const directory of listings.keys()) {
        if (!(directories?.has(directory) ?? true)) continue
        if (isVisible && isShown(directory)) void load(directory)
        else stale.add(directory)
      }
    },
    listStale,
  }
}
