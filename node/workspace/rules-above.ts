/** Reads the ignore rules of the directories above a root from the disk. Tools can't reach these files. */
import fs from 'node:fs'
import path from 'node:path'
import {
  maxIgnoreFileBytes,
  type RuleReader,
  type RulesAbove,
  readRulesAbove,
} from '../../src/search/patterns/rules-above.js'
import { toHost, toVirtual } from '../disk/host-path.js'

/** Read anew for each walk, so that changes take effect: it is a few system calls. `root` is a path of the core. */
export function rulesAboveOnDisk(root: string): Promise<RulesAbove> {
  return readRulesAbove(diskReader, root)
}

const diskReader: RuleReader = {
  kindOf: (virtual) => kindOf(toHost(virtual)),
  textOf: (virtual) => textOf(toHost(virtual)),
  commonDirectory(dotGit, kind) {
    if (kind === 'directory') return dotGit
    const common = commonDirectory(toHost(dotGit))
    return common === undefined ? undefined : toVirtual(common)
  },
}

/** The `.git` of the repository that a linked worktree belongs to. It must point back, or any directory could be named. */
function commonDirectory(dotGit: string): string | undefined {
  const [, target] = /^gitdir: (.+?)\s*$/.exec(textOf(dotGit) ?? '') ?? []
  if (target === undefined) return undefined
  const own = path.resolve(path.dirname(dotGit), target)
  const common = textOf(path.join(own, 'commondir'))?.trim()
  const back = textOf(path.join(own, 'gitdir'))?.trim()
  if (!common || !back || path.resolve(own, back) !== dotGit) return undefined
  return path.resolve(own, common)
}

function kindOf(file: string): 'file' | 'directory' | undefined {
  try {
    const stats = fs.lstatSync(file, { throwIfNoEntry: false })
    if (stats?.isFile()) return 'file'
    return stats?.isDirectory() ? 'directory' : undefined
  } catch (error) {
    return undefinedIfUnreadable(error)
  }
}

/** The kind is checked first, because most files do not exist, and again once the file is open, because it may have been replaced. */
function textOf(file: string): string | undefined {
  if (kindOf(file) !== 'file') return undefined
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants
  let descriptor: number | undefined
  try {
    descriptor = fs.openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
    const stats = fs.fstatSync(descriptor)
    if (!stats.isFile()) return undefined
    const bytes = Buffer.alloc(Math.min(stats.size, maxIgnoreFileBytes))
    return bytes.toString('utf8', 0, fs.readSync(descriptor, bytes, 0, bytes.length, 0))
  } catch (error) {
    return undefinedIfUnreadable(error)
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}

function undefinedIfUnreadable(error: unknown): undefined {
  if (error instanceof Error && 'code' in error) return undefined
  throw error
}
