/** Checks of the whole tree. */
import { isFsError } from '../../../src/errors.js'
import type { MemoryTree } from '../../../src/fs/backends/memory.js'
import { dirname, isWithin, relative } from '../../../src/fs/path.js'
import { compileGlobs, defaultGlobRules, type Glob } from '../../../src/search/patterns/glob.js'
import { reasonOf } from '../../infra-error.js'
import type { EpisodeChange, Score, Scorer } from '../../types.js'
import { type Folder, type FolderEntry, folderOf, readFolder } from '../folder.js'
import { differenceOf } from './file-checks.js'

export interface CheckOptions {
  name?: string
  weight?: number
  gate?: boolean
}

const maxNamed = 5
const globRules = { ...defaultGlobRules, slashless: 'at-base' } as const

/**
 * Something was changed, and nothing but what matches one of the globs. They are relative to the working directory; one that begins with
 * `/` is absolute. `/tmp` is free. Fails immediately with `INVALID_PATTERN` for a glob that can't be compiled.
 */
export function onlyChanged(globs: readonly string[], options: CheckOptions = {}): Scorer {
  const below = compileGlobs(
    globs.filter((glob) => !glob.startsWith('/')),
    globRules,
  )
  const anywhere = compileGlobs(
    globs.filter((glob) => glob.startsWith('/')).map((glob) => glob.slice(1)),
    globRules,
  )
  return async ({ episode }) => {
    const { root } = episode.workspace
    const allowed = (path: string) =>
      isWithin('/tmp', path) ||
      (isWithin(root, path) && below.matches(relative(root, path))) ||
      anywhere.matches(path.slice(1))
    const changes = (await episode.changes()).filter(({ path }) => !isWithin('/tmp', path))
    const others = unexpected(changes, allowed)
    if (changes.length === 0) return [score('only changed', 'nothing was changed', options)]
    if (others.length === 0) return [score('only changed', undefined, options)]
    return [score('only changed', `changed too: ${someOf(others)}`, options)]
  }
}

/** A directory may come and go with the files in it. */
function unexpected(changes: readonly EpisodeChange[], allowed: (path: string) => boolean): string[] {
  const entries = changes.flatMap(({ path, change, from, kind }) => {
    const both = [{ path, change, kind }]
    return from === undefined ? both : [...both, { path: from, change, kind }]
  })
  const parents = new Set<string>()
  for (const { path } of entries.filter((each) => allowed(each.path))) {
    for (let above = dirname(path); !parents.has(above); above = dirname(above)) parents.add(above)
  }
  return entries
    .filter(({ path, change, kind }) => {
      if (allowed(path)) return false
      return kind !== 'directory' || change === 'modified' || !parents.has(path)
    })
    .map(({ path }) => path)
}

export interface ExpectedTreeOptions extends CheckOptions {
  /** Where the tree is. Default: the working directory. */
  directory?: string
  /** Globs of what may differ. */
  ignore?: readonly string[]
}

/** A directory has exactly these files, with exactly this content. Empty directories do not count. */
export function expectedTree(files: MemoryTree | Folder, options: ExpectedTreeOptions = {}): Scorer {
  const { directory = '.', ignore = [] } = options
  const ignored: Glob = compileGlobs(ignore, globRules)
  return async ({ episode }) => {
    const { fs, root } = episode.workspace
    const wanted = await folderOf(files)
    try {
      const found = (await readFolder(fs.exact, await fs.realPath(fs.resolve(directory, root)))) ?? new Map()
      const faults = differences(found, wanted, (path) => ignored.matches(path))
      return [score('expected tree', faults.length === 0 ? undefined : someOf(faults), options)]
    } catch (error) {
      if (!isFsError(error)) throw error
      return [score('expected tree', reasonOf(error), options)]
    }
  }
}

function differences(found: Folder, wanted: Folder, isIgnored: (path: string) => boolean): string[] {
  const faults: string[] = []
  for (const path of [...new Set([...wanted.keys(), ...found.keys()])].sort()) {
    const [is, should] = [found.get(path), wanted.get(path)]
    if (isIgnored(path) || (isDirectory(is) && isDirectory(should))) continue
    if (is === undefined) faults.push(`${path} is missing`)
    else if (should === undefined) faults.push(`${path} should not be there`)
    else if (is.kind !== should.kind) faults.push(`${path} is a ${is.kind}`)
    else if (is.kind === 'symlink' && should.kind === 'symlink' && is.target !== should.target) {
      faults.push(`${path} leads to ${is.target}`)
    } else if (is.kind === 'file' && should.kind === 'file') {
      const fault = differenceOf(is.bytes, should.bytes)
      if (fault !== undefined) faults.push(`${path}: ${fault}`)
    }
  }
  return faults
}

/** Whether it exists: only files count. */
function isDirectory(entry: FolderEntry | undefined): boolean {
  return entry === undefined || entry.kind === 'directory'
}

function score(name: string, fault: string | undefined, options: CheckOptions): Score {
  const { weight, gate } = options
  return {
    name: options.name ?? name,
    value: fault === undefined ? 1 : 0,
    reason: fault ?? 'as it should be',
    ...(weight !== undefined && { weight }),
    ...(gate && { gate }),
  }
}

function someOf(items: readonly string[]): string {
  const rest = items.length - maxNamed
  return `${items.slice(0, maxNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
