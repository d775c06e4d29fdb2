/** The files that ripgrep searches: without hidden and ignored ones, and sorted so that runs can be repeated. */
import type { Entry } from '../../../src/fs/types.js'
import { createIgnoreStack, type IgnoreLevel } from '../../../src/search/patterns/ignore-stack.js'
import { describeError } from '../../io/describe-error.js'
import type { ProgramIo } from '../../io/program.js'
import type { RgGlobs } from './rg-globs.js'

export interface RgWalkOptions {
  hidden: boolean
  /** Ignore files are not read. */
  noIgnore: boolean
  noGit: boolean
  requiresGit: boolean
  follow: boolean
  maxDepth: number
  isReversed: boolean
  globs: RgGlobs
  takesType(name: string): boolean
  visit(name: string): Promise<void>
  fail(message: string): Promise<void>
}

/** `shown` is what names begin with; empty for the working directory when none was given. */
export async function walkRg(io: ProgramIo, directory: string, shown: string, options: RgWalkOptions): Promise<void> {
  const stack = createIgnoreStack(io.fs, {
    top: '/',
    git: options.noGit ? 'never' : options.requiresGit ? 'in-repository' : 'always',
    dotIgnore: true,
  })
  const ancestors: string[] = []
  const start = io.path(directory)
  if (options.maxDepth > 0) await walk(start, shown, 1, undefined, '')

  async function walk(
    path: string,
    name: string,
    depth: number,
    above: IgnoreLevel | undefined,
    ownName: string,
  ): Promise<void> {
    let entries: Entry[]
    try {
      if (options.follow) {
        const real = await io.fs.realPath(path)
        if (ancestors.includes(real)) return
        ancestors.push(real)
      }
      entries = await io.fs.readDir(path)
    } catch (error) {
      await options.fail(`${name === '' ? path : name}: ${describeError(error)}`)
      return
    }
    let level: IgnoreLevel | undefined
    if (!options.noIgnore)
      level = above === undefined ? await stack.open(path, entries) : await above.enter(ownName, entries)
    const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))
    if (options.isReversed) sorted.reverse()
    for (const entry of sorted) {
      io.step()
      await visit(entry, path, name, depth, level)
    }
    if (options.follow) ancestors.pop()
  }

  async function visit(
    entry: Entry,
    directoryPath: string,
    directoryName: string,
    depth: number,
    level: IgnoreLevel | undefined,
  ): Promise<void> {
    const path = below(directoryPath, entry.name)
    const name = below(directoryName, entry.name)
    const kind = await kindOf(entry, path)
    if (kind !== 'file' && kind !== 'directory') return
    const isDirectory = kind === 'directory'
    const choice = options.globs.choose(path, isDirectory)
    if (choice === 'ignored') return
    if (choice === 'unknown') {
      if (!options.hidden && entry.name.startsWith('.')) return
      if (level?.ignores(entry.name, isDirectory) === true) return
    }
    if (isDirectory) {
      if (depth < options.maxDepth) await walk(path, name, depth + 1, level, entry.name)
    } else if (choice === 'included' || options.takesType(entry.name)) await options.visit(name)
  }

  async function kindOf(entry: Entry, path: string): Promise<string | undefined> {
    if (entry.kind !== 'symlink') return entry.kind
    if (!options.follow) return undefined
    try {
      return (await io.fs.stat(path)).kind
    } catch {
      return undefined
    }
  }
}

function below(directory: string, name: string): string {
  if (directory === '') return name
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`
}
