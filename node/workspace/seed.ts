/** Loads a tree into memory from a directory, a zip archive, or a JSON file that maps paths to content. */
import { readFileSync, statSync } from 'node:fs'
import { unpackedInSteps } from '../../src/archive/zip-fs.js'
import { isFsError } from '../../src/errors.js'
import { type MemoryTree, memory } from '../../src/fs/backends/memory.js'
import { confine } from '../../src/fs/gate/confine.js'
import { isWithin, relative } from '../../src/fs/path.js'
import { posixRules } from '../../src/fs/path-rules.js'
import type { FileSystem } from '../../src/fs/types.js'
import { walk } from '../../src/fs/walk/walk.js'
import { printable } from '../../src/text/printable.js'
import { toVirtual } from '../disk/host-path.js'
import { nodeFs } from '../disk/node-fs.js'
import { stateHomes } from '../state/state-directory.js'

/** The source can't be loaded; the message says why. */
export class SeedError extends Error {}

export interface Seed {
  fs: FileSystem
  /** Paths that could not be copied: special files and unreadable ones. */
  skipped: string[]
}

/** The tree stays in memory for as long as the server runs. */
const maxSeedBytes = 2 ** 30

/** Limits for archives that the user provides or asks for: they protect memory, not against hostile input. */
export const ownArchive = {
  maxEntries: 1_000_000,
  maxTotalBytes: 4 * maxSeedBytes,
  maxEntryBytes: 4 * maxSeedBytes,
  maxRatio: Number.POSITIVE_INFINITY,
  maxNameBytes: 65_535,
}

export interface SeedOptions {
  onProgress?: ShowProgress | undefined
}

/** Is called with a line that says how far it is, for a person who waits. `isLast`: the next one may take long, so this one has to be seen. */
export type ShowProgress = (line: string, options?: { isLast?: boolean }) => void

/** Copies files, links, empty directories, modes and times. */
export async function seedFrom(source: string, { onProgress = () => {} }: SeedOptions = {}): Promise<Seed> {
  const found = statSync(source, { throwIfNoEntry: false })
  if (found === undefined) throw new SeedError(`no such file or directory: ${source}`)
  if (found.isDirectory()) return fromDirectory(source, onProgress)
  if (source.endsWith('.json')) return { fs: memory(treeIn(source)), skipped: [] }
  if (source.endsWith('.zip')) {
    return { fs: await fromArchive(source, onProgress), skipped: [] }
  }
  throw new SeedError(`--from takes a directory, a .zip or a .json file, not ${source}`)
}

async function fromArchive(source: string, onProgress: ShowProgress): Promise<FileSystem> {
  const name = printable(source)
  // The directory of the archive is read and checked first.
  onProgress(`unpacking ${name}`, { isLast: true })
  try {
    const archive = new Uint8Array(readFileSync(source))
    return await unpackedInSteps(archive, { path: source, limits: ownArchive }, ({ done, total }) =>
      onProgress(`unpacking ${name}: ${done} of ${total} entries`),
    )
  } catch (error) {
    if (!isFsError(error, 'BAD_ARCHIVE', 'ARCHIVE_TOO_LARGE')) throw error
    const { entry } = error.facts
    const what = 'reason' in error.facts ? error.facts.reason : `more than ${error.facts.limit} (${error.facts.what})`
    throw new SeedError(`${source} is refused: ${what}${entry === undefined ? '' : `, ${JSON.stringify(entry)}`}`)
  }
}

async function fromDirectory(directory: string, onProgress: ShowProgress): Promise<Seed> {
  const disk = nodeFs(directory)
  const top = toVirtual(disk.root)
  const states = stateHomes(undefined).map((directory) => toVirtual(directory))
  // Journals are not copied.
  const hidden = states.filter((state) => isWithin(top, state)).map((state) => `/${relative(top, state)}`)
  const visible = confine(disk, { roots: [{ path: '/', access: 'read-only' }], hidden })
  const copy = memory()
  const skipped: string[] = []
  let entries = 0
  let bytes = 0
  const onUnreadable = (path: string) => void skipped.push(path)
  try {
    for await (const { path, kind } of walk(visible, '/', { onUnreadable })) {
      entries += 1
      onProgress(`copying ${printable(directory)}: ${entries} entries, ${(bytes / 1e6).toFixed(1)} MB`)
      if (kind === 'directory') await copy.makeDir(path)
      else if (kind === 'symlink') await copy.symlink?.((await disk.readLink?.(path)) ?? '', path)
      else if (kind === 'file') bytes += await copyFile(path)
      else skipped.push(path)
      if (bytes > maxSeedBytes) throw new SeedError(`${directory} holds more than 1 GiB, too much to hold in memory`)
    }
  } finally {
    disk.close()
  }
  return { fs: copy, skipped }

  async function copyFile(path: string): Promise<number> {
    try {
      const { mode, modifiedMs } = await disk.stat(path)
      const content = await disk.readFile(path)
      await copy.writeFile(path, content, mode === undefined ? {} : { mode })
      if (modifiedMs !== undefined) await copy.setModified?.(path, modifiedMs)
      return content.length
    } catch (error) {
      if (!isFsError(error, 'DENIED', 'NOT_FOUND', 'IS_LINK', 'SPECIAL_FILE')) throw error
      skipped.push(path)
      return 0
    }
  }
}

/** Maps paths to text, or to bytes as `{ "base64": "…" }`; a key that ends in `/` is an empty directory. */
function treeIn(file: string): MemoryTree {
  const parsed = parseJson(file)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new SeedError(`${file} is not a tree: it must map paths to text`)
  }
  return Object.fromEntries(
    Object.entries(parsed).map(([key, value]) => {
      const content = contentOf(value)
      if (content === undefined) {
        throw new SeedError(`${file}: ${JSON.stringify(key)} is neither text nor { "base64": "…" }`)
      }
      const { components } = posixRules.parse(key)
      if (components.includes('..')) throw new SeedError(`${file}: ${JSON.stringify(key)} leads out of the tree`)
      return [components.join('/') + (key.endsWith('/') ? '/' : ''), content]
    }),
  )
}

function contentOf(value: unknown): string | Uint8Array | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || !('base64' in value)) return undefined
  return typeof value.base64 === 'string' ? new Uint8Array(Buffer.from(value.base64, 'base64')) : undefined
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new SeedError(`${file} is not JSON: ${error.message}`)
    throw error
  }
}
