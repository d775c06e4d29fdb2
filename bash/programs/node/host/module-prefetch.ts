/**
 * Fetches the modules that a module names, and those that they name: a script runs again for each thing that it did not know. What is fetched is a guess
 * from the text and decides nothing; where a module really is, is found out when the script asks.
 */
import { resolve } from '../../../../src/fs/path.js'
import { type FileEntry, joined, type KnownFiles, nameOf, parentOf } from './known-files.js'

type Files = Pick<KnownFiles, 'get' | 'fetch'>

const maxModules = 1000
const script = /\.[cm]?[jt]s$/
const specifiers = /(?:\brequire\(\s*|\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]{1,200})\1/g
const endings = ['.js', '.json', '.cjs', '.mjs', '.ts', '/index.js']
const decoder = new TextDecoder()

export function modulePrefetch(files: Files): { fetchFrom(path: string): Promise<void>; forget(): void } {
  const seen = new Set<string>()

  async function entryAt(path: string): Promise<{ at: string; entry: FileEntry } | undefined> {
    await files.fetch(path)
    const entry = files.get(path)
    if (typeof entry !== 'object' || 'refused' in entry) return undefined
    if (entry.kind !== 'symlink' || entry.target === undefined) return { at: path, entry }
    const at = resolve(parentOf(path), entry.target)
    const target = files.get(at)
    return typeof target === 'object' && !('refused' in target) && target.kind !== 'symlink'
      ? { at, entry: target }
      : undefined
  }

  const has = (directory: FileEntry | undefined, name: string) => directory?.children?.has(name) ?? false

  /** The module at a path, with an ending that it leaves out. */
  async function moduleAt(path: string): Promise<string[]> {
    const directory = await entryAt(parentOf(path))
    if (directory?.entry.kind !== 'directory') return []
    const at = joined(directory.at, nameOf(path))
    if (has(directory.entry, nameOf(path))) {
      const found = await entryAt(at)
      if (found?.entry.kind === 'file') return [found.at]
    }
    for (const ending of endings.slice(0, -1)) {
      if (has(directory.entry, nameOf(path) + ending)) return [at + ending]
    }
    return has(directory.entry, nameOf(path)) ? packageAt(at) : []
  }

  /** What a package, a part of it or a directory may stand for. */
  async function packageAt(path: string, part = '.'): Promise<string[]> {
    const found = await entryAt(path)
    if (found?.entry.kind !== 'directory') return []
    const described = has(found.entry, 'package.json') ? await entryAt(joined(found.at, 'package.json')) : undefined
    const names = described?.entry.content === undefined ? [] : exportsOf(described.entry.content, part)
    return [part === '.' ? 'index.js' : part, ...names].map((name) => resolve(found.at, name))
  }

  async function packageNamed(specifier: string, from: string): Promise<string[]> {
    const [, name = '', inside = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(specifier) ?? []
    for (let at = from; ; at = parentOf(at)) {
      const directory = await entryAt(joined(at, 'node_modules'))
      if (has(directory?.entry, name.split('/')[0] as string)) {
        const top = joined(joined(at, 'node_modules'), name)
        return packageAt(top, inside === '' ? '.' : `./${inside}`)
      }
      if (at === '/') return []
    }
  }

  return {
    forget: () => seen.clear(),
    async fetchFrom(path) {
      const start = nameOf(path) === 'package.json' ? parentOf(path) : path
      const queue = [start]
      for (let at = queue.shift(); at !== undefined && seen.size < maxModules; at = queue.shift()) {
        for (const place of await moduleAt(at)) {
          if (seen.has(place)) continue
          seen.add(place)
          const found = await entryAt(place)
          if (found === undefined && place !== at) queue.push(place)
          const content = found?.entry.content
          if (found === undefined || content === undefined || !(script.test(found.at) || at === start)) continue
          for (const [, , specifier = ''] of decoder.decode(content).matchAll(specifiers)) {
            const directory = parentOf(found.at)
            if (/^\.{0,2}\//.test(specifier) || /^\.{1,2}$/.test(specifier)) queue.push(resolve(directory, specifier))
            else if (/^[\w@]/.test(specifier)) queue.push(...(await packageNamed(specifier, directory)))
          }
        }
      }
    },
  }
}

const maxNames = 20

/** The files that package.json may give for the package (`.`) or a part of it, whatever the conditions. */
function exportsOf(content: Uint8Array, part: string): string[] {
  let described: { main?: unknown; exports?: unknown }
  try {
    described = JSON.parse(decoder.decode(content)) as typeof described
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
  const { main, exports } = Object(described) as typeof described
  const names = part === '.' && typeof main === 'string' ? [main] : []
  const parts = Object(exports) as Record<string, unknown>
  const hasParts = Object.keys(parts).some((key) => key.startsWith('.'))
  const queue: unknown[] = [typeof exports === 'string' || !hasParts ? exports : parts[part]]
  while (queue.length > 0 && names.length < maxNames) {
    const each = queue.shift()
    if (typeof each === 'string' && !/\.d\.[cm]?ts$/.test(each)) names.push(each)
    else if (typeof each === 'object' && each !== null) queue.push(...Object.values(each))
  }
  return names
}
