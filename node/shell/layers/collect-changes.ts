/** Finds what a command has changed, from the upper layer of its overlay. No process uses the layer any more. */
import fs from 'node:fs'
import path from 'node:path'
import type { OverlayChange } from '../../../src/fs/backends/overlay.js'
import { join } from '../../../src/fs/path.js'
import type { Stat } from '../../../src/fs/types.js'
import type { Stack } from './layer-store.js'

export interface Collected {
  changes: OverlayChange[]
  /** Entries of the upper layer, by their paths. */
  entries: ReadonlyMap<string, UpperEntry>
  /** What can't be saved, with the reason. */
  refused: readonly Refused[]
}

export interface UpperEntry {
  /** On the host. */
  file: string
  stat: Stat & { mode: number; modifiedMs: number }
}

export interface Refused {
  path: string
  why: string
}

export interface UpperLayer {
  /** The directory of the layer. */
  upper: string
  /** The mount as a whole, as long as it is there. */
  merged: string
  stack: Stack
  /** Whether an entry is one of the workspace, and not only on the way to it. */
  belongs: (path: string) => boolean
  /** Entries that only the machine has, on which others are mounted. */
  isMachines: (path: string) => boolean
}

export function collectChanges({ upper, merged, stack, belongs, isMachines }: UpperLayer): Collected {
  const { tree, layers } = stack
  const changes: OverlayChange[] = []
  const entries = new Map<string, UpperEntry>()
  const refused: Refused[] = []
  const unread = new Set(layers.flatMap((layer) => layer.unread))
  const leftOut = new Set(layers.flatMap((layer) => layer.leftOut))

  function deleted(virtual: string): void {
    const kind = tree.stat(virtual)?.kind
    if (kind === undefined) return
    if (leftOut.has(virtual)) return
    if (belongs(virtual)) changes.push({ path: virtual, kind, change: 'deleted' })
    for (const name of tree.names(virtual)) deleted(join(virtual, name))
  }

  /** Returns the number of entries that count. */
  function enter(virtual: string): number {
    const names = namesIn(path.join(upper, virtual), (name) =>
      refused.push({ path: join(virtual, name), why: 'its name is not UTF-8' }),
    )
    let count = 0
    for (const name of names) if (visit(join(virtual, name))) count += 1
    if (tree.stat(virtual)?.kind === 'directory') count += hidden(virtual, new Set(names))
    return count
  }

  /** A directory that was made anew shows nothing of the one it replaced, which no name in the layer says. */
  function hidden(virtual: string, ours: ReadonlySet<string>): number {
    const others = tree.names(virtual).filter((name) => !ours.has(name))
    if (others.length === 0) return 0
    const shown = new Set(fs.readdirSync(path.join(merged, virtual)))
    const gone = others.filter((name) => !shown.has(name))
    for (const name of gone) deleted(join(virtual, name))
    return gone.length
  }

  function visit(virtual: string): boolean {
    const file = path.join(upper, virtual)
    const found = statAt(file)
    if (typeof found === 'string') {
      refused.push({ path: virtual, why: found })
      return true
    }
    const before = tree.stat(virtual)
    if (isWhiteout(found)) {
      deleted(virtual)
      return before !== undefined
    }
    const kind = kindOf(found)
    if (kind === undefined || (kind === 'symlink' && !isText(fs.readlinkSync(file, { encoding: 'buffer' })))) {
      if (before !== undefined) deleted(virtual)
      refused.push({ path: virtual, why: `${describe(found)} can't be stored` })
      return true
    }
    if (unread.has(virtual)) {
      refused.push({ path: virtual, why: 'it could not be read before the command, because of its mode' })
      return true
    }
    if (before !== undefined && before.kind !== kind)
      for (const name of tree.names(virtual)) deleted(join(virtual, name))
    const stat = { kind, mode: found.mode & 0o7777, modifiedMs: Math.floor(found.mtimeMs), size: found.size }
    const at = changes.length
    const inside = kind === 'directory' ? enterable(virtual, file, stat.mode) : 1
    if (!belongs(virtual) || (before === undefined && isMachines(virtual) && inside === 0)) return inside > 0
    entries.set(virtual, { file, stat })
    const isPassed = kind === 'directory' && before?.kind === 'directory' && sameMode(before, stat)
    // A directory comes before what is in it.
    if (!isPassed) changes.splice(at, 0, { path: virtual, kind, change: before === undefined ? 'added' : 'modified' })
    return true
  }

  /** The command may have left a directory that its owner can't list. */
  function enterable(virtual: string, file: string, mode: number): number {
    if ((mode & 0o500) === 0o500) return enter(virtual)
    fs.chmodSync(path.join(merged, virtual), mode | 0o700)
    fs.chmodSync(file, mode | 0o700)
    return enter(virtual)
  }

  enter('/')
  return { changes, entries, refused }
}

function sameMode(before: Stat, { mode }: { mode: number }): boolean {
  return before.mode === undefined || before.mode === mode
}

/** Names that are not UTF-8 are given to `onOther`, as far as they can be shown. */
function namesIn(directory: string, onOther: (name: string) => void): string[] {
  const names = fs.readdirSync(directory)
  if (!names.some((name) => name.includes('\uFFFD'))) return names
  const known: string[] = []
  for (const bytes of fs.readdirSync(directory, { encoding: 'buffer' })) {
    if (isText(bytes)) known.push(bytes.toString('utf8'))
    else onOther(bytes.toString('latin1'))
  }
  return known
}

function isText(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes)
}

function statAt(file: string): fs.Stats | string {
  try {
    return fs.lstatSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return 'its path is too long'
    throw error
  }
}

function isWhiteout(stats: fs.Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0
}

function kindOf(stats: fs.Stats): 'file' | 'directory' | 'symlink' | undefined {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'symlink' : undefined
}

function describe(stats: fs.Stats): string {
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSymbolicLink()) return 'a link to a name that is not UTF-8'
  return stats.isSocket() ? 'a socket' : 'a device'
}
