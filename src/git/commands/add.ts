import { FsError } from '../../errors.js'
import { join } from '../../fs/path.js'
import type { Stat } from '../../fs/types.js'
import { fileId } from '../objects/hash-file.js'
import { comparePaths, objectId } from '../objects/object-id.js'
import { checkTreePath, modes } from '../objects/tree.js'
import { type Repository, readIndex } from '../repository.js'
import { isConverted, refuseUnsupported } from '../work-tree/convert.js'
import { type IndexEntry, indexEntry } from '../work-tree/index-file.js'
import {
  compareWithIndex,
  isAtOrBelow,
  modeOf,
  parentsOf,
  readContent,
  sameBlob,
  scanWorkTree,
} from '../work-tree/work-tree.js'
import { writeIndex } from '../work-tree/write-index.js'
import { type ChangedPath, conflictsIn } from './status.js'

export interface AddOptions {
  /** Relative to the repository; `''` is all of it. Removals are staged too. */
  paths: readonly string[]
  /** Also add ignored files that are named explicitly. */
  force?: boolean
  /** Only tracked files. */
  update?: boolean
}

export interface AddResult {
  /** Newly staged changes, in git's order. */
  changes: ChangedPath[]
  /** Separate repositories, which were skipped. */
  skipped: string[]
  /** Names that are not UTF-8, which were skipped. */
  unreadable: string[]
  /** Directories whose path is too long to be read; absent if none. */
  tooDeep?: string[]
}

/** Stages the current state of files. */
export async function gitAdd(repository: Repository, options: AddOptions): Promise<AddResult> {
  const { paths, force = false, update = false } = options
  const index = await readIndex(repository)
  const scan = await scanWorkTree(repository, index, { paths, untracked: update ? 'none' : 'all', ignored: true })
  const unreadable = new Set(scan.unreadable)
  const untracked = scan.untracked.filter((path) => !path.endsWith('/') && !unreadable.has(path))
  const named = force ? scan.ignored.filter((path) => paths.includes(path)) : []
  const known = [...index.entries.map(({ path }) => path), ...scan.untracked]
  const unmatched = paths.filter((path) => path !== '' && !known.some((each) => isAtOrBelow(path, withoutSlash(each))))
  refuseUnmatched(await withoutDirectories(repository, unmatched, scan.ignored), scan.ignored, force)

  const entries = new Map(index.entries.filter(({ stage }) => stage === 0).map((entry) => [entry.path, entry]))
  const conflicted = new Set(conflictsIn(index).map(({ path }) => path))
  const unaffected = index.entries.filter(({ path, stage }) => stage !== 0 && !isWanted(paths, path))
  const changes: ChangedPath[] = []
  let isRefreshed = false

  const wanted = [...new Set([...entries.keys(), ...conflicted])].filter((path) => isWanted(paths, path))
  const all = [...wanted, ...untracked, ...named]
  for (const [i, path] of all.entries()) {
    repository.checkAborted()
    if (i % 64 === 0) repository.progress(i, all.length)
    const entry = entries.get(path)
    const stat = scan.present.get(path) ?? (await statOf(repository, path))
    if (stat === undefined || stat.kind === 'directory' || stat.kind === 'other') {
      if (entry?.mode === modes.submodule && stat?.kind === 'directory') continue
      entries.delete(path)
      if (entry !== undefined || conflicted.has(path)) changes.push({ path, change: 'deleted' })
      continue
    }
    if (entry !== undefined && (await compareWithIndex(repository, entry, stat, index)) === undefined) {
      entries.set(path, { ...entry })
      continue
    }
    checkTreePath(path)
    const staged = await stage(repository, path, stat, entry)
    // A file may have become a directory, or the reverse.
    for (const parent of parentsOf(path)) entries.delete(parent)
    entries.set(path, staged)
    isRefreshed = true
    if (entry !== undefined && sameBlob(entry, staged)) continue
    changes.push({ path, change: entry === undefined && !conflicted.has(path) ? 'added' : 'modified' })
  }
  repository.progress(all.length, all.length)
  const isChanged = isRefreshed || changes.length > 0 || unaffected.length + entries.size !== index.entries.length
  if (isChanged) await writeIndex(repository, [...unaffected, ...entries.values()])
  return {
    changes: changes.sort((a, b) => comparePaths(a.path, b.path)),
    skipped: scan.nested,
    unreadable: scan.unreadable,
    ...(scan.tooDeep.length > 0 && { tooDeep: scan.tooDeep }),
  }
}

/** Larger files are read in chunks: once for their id, and once when they are written. */
const maxHeldFileBytes = 1024 * 1024

/** Adds a file's content and returns its index entry. */
async function stage(repository: Repository, path: string, stat: Stat, known?: IndexEntry): Promise<IndexEntry> {
  const { objects, fs } = repository
  const full = join(repository.root, path)
  const mode = modeOf(repository, stat, known?.mode)
  const isPlain = stat.kind === 'file' && !(await isConverted(repository, path))
  if (stat.kind === 'file') await refuseUnsupported(repository, path)
  if (isPlain && (stat.size ?? 0) > maxHeldFileBytes) {
    const oid = await fileId(fs, full, repository.checkAborted)
    if (oid !== known?.oid) objects.writeFile(oid, stat.size ?? 0, full)
    return indexEntry(path, mode, oid, stat)
  }
  const bytes = await readContent(repository, path, stat)
  if (bytes === undefined) throw new FsError('OUTSIDE', { path })
  const oid = await objectId('blob', bytes)
  if (oid !== known?.oid) objects.writeBlob(bytes, oid, isPlain ? full : undefined)
  const size = stat.kind === 'symlink' ? { size: bytes.length } : {}
  return indexEntry(path, mode, oid, { ...stat, ...size })
}

async function statOf({ fs, root }: Repository, path: string): Promise<Stat | undefined> {
  return fs.stat(`${root === '/' ? '' : root}/${path}`).catch(() => undefined)
}

function isWanted(paths: readonly string[], path: string): boolean {
  return paths.some((each) => isAtOrBelow(each, path))
}

/** A directory without anything to add is not an error. */
async function withoutDirectories(repository: Repository, paths: readonly string[], ignored: readonly string[]) {
  const found: string[] = []
  for (const path of paths) {
    const isDirectory = (await statOf(repository, path))?.kind === 'directory'
    if (!isDirectory || isIgnored(path, ignored)) found.push(path)
  }
  return found
}

function refuseUnmatched(unmatched: readonly string[], ignored: readonly string[], force: boolean): void {
  const left = force ? unmatched.filter((path) => !ignored.includes(path)) : unmatched
  if (left.length === 0) return
  const refused = left.filter((path) => isIgnored(path, ignored))
  if (refused.length > 0) throw new FsError('GIT_REFUSED', { reason: 'ignored', paths: refused })
  throw new FsError('GIT_REFUSED', { reason: 'unmatched-path', paths: left })
}

function isIgnored(path: string, ignored: readonly string[]): boolean {
  return ignored.some((each) => isAtOrBelow(withoutSlash(each), path))
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '')
}
