/** What an agent can do with a path, each as one call on a confined file system that returns all it disclosed. */
import { isFsError } from '../../src/errors.js'
import type { ConfinedFileSystem } from '../../src/fs/gate/confine.js'
import { openFile } from '../../src/fs/open.js'
import { dirname, isWithin } from '../../src/fs/path.js'
import { walk } from '../../src/fs/walk/walk.js'

export interface Operation {
  name: string
  changes: boolean
  /** `input` is what the agent wrote; whatever is returned or thrown is what the agent gets to see. */
  run(fs: ConfinedFileSystem, root: string, input: string): Promise<unknown>
}

export const operations: Readonly<Record<string, Operation>> = {
  r: look('read', (fs, path) => fs.readFile(path).then(text)),
  l: look('list', (fs, path) => fs.readDir(path)),
  s: look('stat', async (fs, path) => fs.stat(await fs.realPath(path))),
  entry: look('describe the entry', (fs, path) => fs.stat(path)),
  target: look('read the link', async (fs, path) => fs.readLink?.(path)),
  g: look('glob', async (fs, path, root, input) => [
    ...(await namesBelow(fs, root)).filter((name) => name.endsWith(`/${input}`)),
    ...(await namesBelow(fs, path)),
  ]),
  t: look('tree', namesBelow),
  open: look('open', async (fs, path) => {
    const source = await openFile(fs, path)
    try {
      return text(await source.read({ start: 0, end: 100 }))
    } finally {
      await source.close()
    }
  }),
  real: look('resolve', (fs, path) => fs.realPath(path)),
  watch: look('watch', async (fs, path) => {
    const unwatch = await fs.watch?.(path, () => {})
    unwatch?.()
  }),
  w: change('write', async (fs, path, root) => {
    await makeParents(fs, path, root)
    await fs.writeFile(path, bytes('written\n'))
  }),
  e: change('edit', async (fs, path) => {
    const before = text(await fs.readFile(path))
    await fs.writeFile(path, bytes(`${before}edited\n`))
    return before
  }),
  m: change('make directory', async (fs, path, root) => {
    await makeParents(fs, path, root)
    await fs.makeDir(path)
  }),
  mf: change('move from', (fs, path, root) => fs.rename(path, `${root}/moved`)),
  mt: change('move to', async (fs, path, root) => {
    await makeParents(fs, path, root)
    await fs.rename(`${root}/sub/mover.txt`, path)
  }),
  d: change('delete', (fs, path) => fs.remove(path)),
  mode: change('set mode', async (fs, path) => fs.setMode?.(path, 0o600)),
  modified: change('set modified', async (fs, path) => fs.setModified?.(path, 1_000_000_000_000)),
  link: change('link', async (fs, path) => fs.symlink?.('sub/a.txt', path)),
}

/** The operations that change something, for what may be read but not written. */
export const changing = Object.keys(operations).filter((letter) => operations[letter]?.changes)

type Act = (fs: ConfinedFileSystem, path: string, root: string, input: string) => Promise<unknown>

function look(name: string, act: Act): Operation {
  return { name, changes: false, run: (fs, root, input) => resolved(fs, root, input, act) }
}

function change(name: string, act: Act): Operation {
  return { name, changes: true, run: (fs, root, input) => resolved(fs, root, input, act) }
}

async function resolved(fs: ConfinedFileSystem, root: string, input: string, act: Act): Promise<unknown> {
  return act(fs, fs.resolve(input, root), root, input)
}

/** As tools do: a write brings its directories along. A parent that can't be made is left to the operation to report. */
async function makeParents(fs: ConfinedFileSystem, path: string, root: string): Promise<void> {
  const parent = dirname(path)
  if (!isWithin(root, parent) || parent === root) return
  await makeParents(fs, parent, root)
  try {
    await fs.makeDir(parent)
  } catch (error) {
    if (!isFsError(error)) throw error
  }
}

async function namesBelow(fs: ConfinedFileSystem, path: string): Promise<string[]> {
  const names: string[] = []
  for await (const entry of walk(fs, path, {})) names.push(entry.path)
  return names
}

function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content)
}

function text(content: Uint8Array): string {
  return new TextDecoder().decode(content)
}
