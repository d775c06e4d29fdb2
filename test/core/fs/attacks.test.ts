import { memory } from '../../../src/fs/backends/memory.js'
import { join } from '../../../src/fs/path.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { placesIn } from '../../attacks/corpus.js'
import { insideLayout, type LayoutEntry, outsideLayout } from '../../attacks/layout.js'
import { describeAttacks, type Stage } from '../../attacks/suite.js'

const places = placesIn('/base')

describeAttacks('memory', memoryStage, { unfit: { P128: 'memory has no hard links' } })

/** One tree with the root as a directory in it, so that links have an outside to lead to. */
async function memoryStage(): Promise<Stage> {
  const tree = memory({ '/base/root/': '', '/etc/passwd': 'CANARY of the system\n', '/proc/self/environ': 'CANARY=1' })
  await layOut(tree, outsideLayout(places))
  await layOut(tree, insideLayout(places))
  const workspace = createWorkspace({
    fs: tree,
    roots: [{ path: places.root, access: 'read-write' }],
    protect: { git: true, config: true },
  })
  return {
    places,
    workspace,
    fs: workspace.fs,
    outsideState: async () => (await state(tree, '/', { except: places.root, times: true })).join('\n'),
    insideState: async () => (await state(tree, places.root, { times: false })).join('\n'),
    async restore() {
      await clear(tree, places.root)
      await layOut(tree, insideLayout(places))
    },
    async close() {},
  }
}

async function layOut(fs: FileSystem, entries: readonly LayoutEntry[]): Promise<void> {
  for (const entry of entries) {
    if (entry.kind === 'directory') await fs.makeDir(entry.path)
    if (entry.kind === 'file') await fs.writeFile(entry.path, new TextEncoder().encode(entry.text))
    if (entry.kind === 'link') await fs.symlink?.(entry.target, entry.path)
  }
}

async function clear(fs: FileSystem, directory: string): Promise<void> {
  for (const { name, kind } of await fs.readDir(directory)) {
    const path = join(directory, name)
    if (kind === 'directory') await clear(fs, path)
    await fs.remove(path)
  }
}

async function state(
  fs: FileSystem,
  directory: string,
  options: { except?: string; times: boolean },
): Promise<string[]> {
  const lines: string[] = []
  const entries = await fs.readDir(directory)
  for (const { name, kind } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, name)
    const { mode, modifiedMs } = await fs.stat(path)
    const content = kind === 'file' ? new TextDecoder().decode(await fs.readFile(path)) : ''
    const target = kind === 'symlink' ? await fs.readLink?.(path) : ''
    if (path === options.except) {
      lines.push(JSON.stringify([path, kind]))
      continue
    }
    lines.push(JSON.stringify([path, kind, content, target, mode, options.times ? modifiedMs : undefined]))
    if (kind === 'directory') lines.push(...(await state(fs, path, options)))
  }
  return lines
}
