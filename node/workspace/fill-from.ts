/** Fills an empty workspace of a database or a store. */
import { createHash } from 'node:crypto'
import type { AtomicAction } from '../../src/fs/transactional-types.js'
import type { FileSystem } from '../../src/fs/types.js'
import { walk } from '../../src/fs/walk/walk.js'
import { type SeedOptions, type ShowProgress, seedFrom } from './seed.js'

/** Copies a directory, a .zip archive or a .json file, unless the workspace has files. Returns the paths that could not be copied. */
export async function fillFrom(source: string, fs: FileSystem, options: SeedOptions = {}): Promise<string[]> {
  if ((await fs.readDir('/')).length > 0) return []
  const { onProgress = () => {} } = options
  const seed = await seedFrom(source, options)
  const { actions, entries, bytes } = await actionsFor(seed.fs, onProgress)
  onProgress(`storing ${entries} entries, ${(bytes / 1e6).toFixed(1)} MB`, { isLast: true })
  // One transaction: a workspace that was filled halfway would not be filled again.
  await fs.transactional?.atomic?.apply(actions)
  return seed.skipped
}

async function actionsFor(from: FileSystem, onProgress: ShowProgress) {
  const actions: AtomicAction[] = []
  const modes: AtomicAction[] = []
  let bytesRead = 0
  for await (const { path, kind } of walk(from, '/')) {
    onProgress(`preparing ${actions.length + 1} entries, ${(bytesRead / 1e6).toFixed(1)} MB`)
    const { mode, modifiedMs } = await from.stat(path)
    if (kind === 'directory') {
      actions.push({ do: 'makeDir', path })
      // Set at the end: a directory may be closed to its owner.
      if (mode !== undefined) modes.unshift({ do: 'setMode', path, mode })
    } else if (kind === 'symlink') actions.push({ do: 'symlink', path, target: (await from.readLink?.(path)) ?? '' })
    else {
      const bytes = await from.readFile(path)
      bytesRead += bytes.length
      const facts = { ...(mode !== undefined && { mode }), ...(modifiedMs !== undefined && { modifiedMs }) }
      actions.push({ do: 'write', path, bytes, hash: sha256(bytes), ...facts })
    }
  }
  return { actions: [...actions, ...modes], entries: actions.length, bytes: bytesRead }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function sha256InPieces() {
  const hash = createHash('sha256')
  return { add: (bytes: Uint8Array) => void hash.update(bytes), end: () => hash.digest('hex') }
}
