/** Which files are in a directory: each is read once, as make does, and what comes later is not seen. */
import { isFsError } from '../../../../src/errors.js'
import { basename, dirname } from '../../../../src/fs/path.js'
import type { ProgramIo } from '../../../io/program.js'
import { namePattern } from '../../files/shared/name-pattern.js'

export interface DirectoryCache {
  /** True for what the directory had when it was first looked at. */
  has(path: string): Promise<boolean>
  /** What a pattern with `*`, `?` or `[` stands for, sorted. */
  matches(pattern: string): Promise<string[]>
}

const special = /[*?[]/

export function directoryCache(io: ProgramIo): DirectoryCache {
  const known = new Map<string, Promise<ReadonlySet<string>>>()

  function namesIn(directory: string): Promise<ReadonlySet<string>> {
    const path = io.path(directory)
    let names = known.get(path)
    if (names === undefined) {
      names = readNames(io, directory)
      known.set(path, names)
    }
    return names
  }

  async function below(directory: string, parts: readonly string[]): Promise<string[]> {
    io.step()
    const [part, ...rest] = parts
    if (part === undefined) return [directory]
    if (!special.test(part)) {
      const at = directory + part
      if (rest.length > 0) return below(`${at}/`, rest)
      return part === '' || (await isThere(io, at)) ? [at] : []
    }
    const isMatched = namePattern(part)
    const names = await namesIn(directory === '' ? '.' : directory)
    const found: string[] = []
    for (const name of [...names].filter((one) => isMatched(one) && (part.startsWith('.') || !one.startsWith('.')))) {
      if (rest.length === 0) found.push(directory + name)
      else if (await isDirectory(io, directory + name)) found.push(...(await below(`${directory}${name}/`, rest)))
    }
    return found
  }

  return {
    async has(path) {
      if (path === '') return false
      const name = basename(path)
      if (name === '.' || name === '..' || path.endsWith('/')) return isThere(io, path)
      return (await namesIn(path.includes('/') ? dirname(path) : '.')).has(name)
    },
    async matches(pattern) {
      const isAbsolute = pattern.startsWith('/')
      const found = await below(isAbsolute ? '/' : '', pattern.replace(/^\/+/, '').split(/\/+/))
      const existing: string[] = []
      for (const name of found) if (!name.endsWith('/') || (await isDirectory(io, name))) existing.push(name)
      return existing.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    },
  }
}

async function readNames(io: ProgramIo, directory: string): Promise<ReadonlySet<string>> {
  try {
    const names = (await io.fs.readDir(directory)).map(({ name }) => name)
    io.account(names.length * 100)
    return new Set([...names, '.', '..'])
  } catch (error) {
    if (!isFsError(error)) throw error
    return new Set()
  }
}

export async function isThere(io: ProgramIo, path: string): Promise<boolean> {
  try {
    await io.fs.stat(path)
    return true
  } catch (error) {
    if (!isFsError(error)) throw error
    return false
  }
}

async function isDirectory(io: ProgramIo, path: string): Promise<boolean> {
  try {
    return (await io.fs.stat(path)).kind === 'directory'
  } catch (error) {
    if (!isFsError(error)) throw error
    return false
  }
}
