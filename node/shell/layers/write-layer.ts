/** Writes entries of a tree into a directory of the host, as a layer of an overlay. */
import fs from 'node:fs'
import path from 'node:path'
import { dirname } from '../../../src/fs/path.js'
import type { Stat } from '../../../src/fs/types.js'
import { yieldBetweenSteps } from '../../../src/fs/yield-between-steps.js'
import { type Differences, highest, type KnownTree } from './known-tree.js'

export interface LayerToWrite extends Differences {
  /** The directory, which exists and is empty. */
  directory: string
  tree: KnownTree
  /** Puts what hides an entry of lower layers at a path of the host. */
  hide(file: string): void
}

export interface Written {
  /** Files without their content, which their mode keeps from being read. */
  unread: readonly string[]
  /** What can't be on this disk: names and paths that are too long for it. */
  leftOut: readonly string[]
}

const { O_CREAT, O_EXCL, O_WRONLY } = fs.constants
const defaultModes = { file: 0o644, directory: 0o755 }

export async function writeLayer({ directory, tree, gone, there, hide }: LayerToWrite): Promise<Written> {
  const unread: string[] = []
  const leftOut: string[] = []
  const made = new Set<string>(['/'])
  const turn = yieldBetweenSteps()
  const umask = process.umask()
  const at = (virtual: string) => path.join(directory, virtual)

  function ensureDirectory(virtual: string): void {
    if (made.has(virtual)) return
    ensureDirectory(dirname(virtual))
    fs.mkdirSync(at(virtual), { mode: 0o700 })
    made.add(virtual)
  }

  async function writeEntry(virtual: string, stat: Stat): Promise<void> {
    if (stat.kind === 'directory') return ensureDirectory(virtual)
    ensureDirectory(dirname(virtual))
    const content = await tree.content(virtual)
    if (content === undefined) unread.push(virtual)
    if (content !== undefined && 'target' in content) {
      fs.symlinkSync(content.target, at(virtual))
      setTimes(at(virtual), stat)
    } else if (stat.kind === 'file') writeFile(at(virtual), content?.bytes ?? new Uint8Array(), stat)
  }

  function writeFile(file: string, bytes: Uint8Array, stat: Stat): void {
    const { mode = defaultModes.file, modifiedMs } = stat
    const descriptor = fs.openSync(file, O_WRONLY | O_CREAT | O_EXCL, mode & 0o777)
    try {
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(descriptor, bytes, done)
      if ((mode & umask) !== 0 || mode > 0o777) fs.fchmodSync(descriptor, mode)
      if (modifiedMs !== undefined) fs.futimesSync(descriptor, modifiedMs / 1000, modifiedMs / 1000)
    } finally {
      fs.closeSync(descriptor)
    }
  }

  async function unlessTooLong(virtual: string, write: () => void | Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') throw error
      leftOut.push(virtual)
    }
  }

  const kept = new Set(there)
  for (const virtual of highest(gone)) {
    if (kept.has(virtual)) continue
    await unlessTooLong(virtual, () => {
      ensureDirectory(dirname(virtual))
      hide(at(virtual))
    })
  }
  for (const virtual of there) {
    const pause = turn()
    if (pause !== undefined) await pause
    const stat = tree.stat(virtual)
    if (stat !== undefined) await unlessTooLong(virtual, () => writeEntry(virtual, stat))
  }
  // Last, as directories may allow no more entries then, and each entry changes their times.
  for (const virtual of [...made].reverse()) {
    const stat = tree.stat(virtual)
    fs.chmodSync(at(virtual), stat?.mode ?? defaultModes.directory)
    if (stat !== undefined) setTimes(at(virtual), stat)
  }
  return { unread, leftOut }
}

function setTimes(file: string, { modifiedMs }: Stat): void {
  if (modifiedMs !== undefined) fs.lutimesSync(file, modifiedMs / 1000, modifiedMs / 1000)
}
