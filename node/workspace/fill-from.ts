/** Fills an empty workspace of a database or a store. */
import { createHash } from 'node:crypto'
import type { AtomicAction } from '../../src/fs/transactional-types.js'
import type { FileSystem } from '../../src/fs/types.js'
import { walk } from '../../src/fs/walk/walk.js'
import { type SeedOptions, seedFrom } from './seed.js'

/** Copies a directory, a .zip archive or a .json file, unless the workspace has files. Returns the paths that could not be copied. */
export async function fillFrom(source: string, fs: FileSystem, options: SeedOptions = {}): Promise<string[]> {
  if ((await fs.readDir('/')).length > 0) return []
  const seed = await seedFrom(source, options)
  const actions = await actionsFor(seed.fs)
  options.onProgress?.(`storing ${actions.length} entries`)
  // One transaction: a workspace that was filled halfway would not be filled again.
  await fs.transactional?.atomic?.apply(actions)
  return seed.skipped
}

async function actionsFor(from: FileSystem): Promise<AtomicAction[]> {
  const actions: AtomicAction[] = []
  const modes: AtomicAction[] = []
  for await (const { path, kind } of walk(from, '/')) {
    const { mode, modifiedMs } = await from.stat(path)
    if (kind === 'directory') {
      actions.push({ do: 'makeDir', path })
      // Set at the end: a directory may be closed to its owner.
      if (mode !== undefined) modes.unshift({ do: 'setMode', path, mode })
    } else if (kind === 'symlink') actions.push({ do: 'symlink', path, target: (await from.readLink?.(path)) ?? '' })
    else {
      const bytes = await from.readFile(path)
      const facts = { ...(mode !== undefined && { mode }), ...(modifiedMs !== undefined && { modifiedMs }) }
      actions.push({ do: 'write', path, bytes, hash: sha256(bytes), ...facts })
    }
  }
  return [...actions, ...modes]
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function sha256InPieces() {
  const hash = createHash('sha256')
  return { add: (bytes: Uint8Array) => void hash.update(bytes), end: () => hash.digest('hex') }
}
