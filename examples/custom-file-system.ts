/** A file system of one's own in a hundred lines, here a Map of documents, and the contract that it has to pass. */
import { createWorkspace, FsError, isFsError, tools } from 'polyfs'
import { runContract } from 'polyfs/contract'
import type { Bytes, FileSystem } from 'polyfs/fs'

function documents(entries = new Map<string, Bytes | 'directory'>([['/', 'directory']])): FileSystem {
  const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'
  const below = (path: string) => [...entries.keys()].filter((key) => key.startsWith(path === '/' ? '/' : `${path}/`))
  const fail = (
    code: 'EXISTS' | 'IS_A_DIRECTORY' | 'IS_ROOT' | 'NOT_A_DIRECTORY' | 'NOT_EMPTY' | 'NOT_FOUND',
    path: string,
  ) => {
    throw new FsError(code, { path })
  }
  function find(path: string): Bytes | 'directory' {
    const isTooLong = path.split('/').some((name) => new TextEncoder().encode(name).length > 255)
    const reason = path.includes('\0')
      ? 'nul'
      : /\p{Surrogate}/u.test(path)
        ? 'malformed-unicode'
        : isTooLong
          ? 'name-too-long'
          : undefined
    if (reason !== undefined) throw new FsError('INVALID_PATH', { path, reason })
    const found = entries.get(path)
    if (found !== undefined) return found
    let above = path
    while (!entries.has(above)) above = parentOf(above)
    return fail(entries.get(above) === 'directory' ? 'NOT_FOUND' : 'NOT_A_DIRECTORY', path)
  }
  /** Fails if the name is not valid, or the directory is missing that the entry would be in. */
  function checkNew(path: string): void {
    try {
      find(path)
    } catch (error) {
      if (!isFsError(error, 'NOT_FOUND') || entries.get(parentOf(path)) !== 'directory') throw error
    }
  }

  return {
    // What is false here is composed of the methods below, or not offered to agents.
    capabilities: {
      symlinks: false,
      atomicRename: true,
      modeBits: false,
      modified: 'none',
      watch: false,
      caseSensitive: true,
      writable: true,
      sync: true,
    },
    async stat(path) {
      const found = find(path)
      return found === 'directory' ? { kind: found } : { kind: 'file', size: found.length }
    },
    async readFile(path, range) {
      const found = find(path)
      return found === 'directory' ? fail('IS_A_DIRECTORY', path) : found.slice(range?.start, range?.end)
    },
    async writeFile(path, data, { exclusive = false } = {}) {
      checkNew(path)
      if (exclusive && entries.has(path)) fail('EXISTS', path)
      if (entries.get(path) === 'directory') fail('IS_A_DIRECTORY', path)
      entries.set(path, data.slice())
    },
    async readDir(path) {
      if (find(path) !== 'directory') fail('NOT_A_DIRECTORY', path)
      const names = below(path).filter((key) => key !== '/' && parentOf(key) === path)
      return names.map((key) => ({
        name: key.slice(key.lastIndexOf('/') + 1),
        kind: find(key) === 'directory' ? 'directory' : 'file',
      }))
    },
    async makeDir(path) {
      checkNew(path)
      if (entries.has(path)) fail('EXISTS', path)
      entries.set(path, 'directory')
    },
    async remove(path) {
      if (path === '/') fail('IS_ROOT', path)
      if (find(path) === 'directory' && below(path).length > 0) fail('NOT_EMPTY', path)
      entries.delete(path)
    },
    async rename(from, to) {
      if (from === '/' || to === '/') fail('IS_ROOT', '/')
      const moved = find(from)
      if (from === to) return
      if (moved === 'directory' && to.startsWith(`${from}/`)) throw new FsError('INTO_ITSELF', { path: from, to })
      checkNew(to)
      const replaced = entries.get(to)
      if (replaced === 'directory' && moved !== 'directory') fail('IS_A_DIRECTORY', to)
      if (replaced !== undefined && replaced !== 'directory' && moved === 'directory') fail('NOT_A_DIRECTORY', to)
      if (replaced === 'directory' && below(to).length > 0) fail('NOT_EMPTY', to)
      for (const key of [from, ...below(from)]) {
        entries.set(to + key.slice(from.length), find(key))
        entries.delete(key)
      }
    },
  }
}

const { passed, failed, results } = await runContract({ fs: documents(), base: '/base' })
console.log(`${passed > 100 ? 'more than 100' : passed} cases passed, ${failed} failed`)
for (const result of results) if (result.outcome === 'failed') console.log(result)

// Everything else comes with it: tools, transactions, history, search, git.
const workspace = createWorkspace({ fs: documents() })
const { callText } = tools(workspace)
console.log(await callText('write_file', { path: 'letters/1.md', content: 'Dear reader,\n' }))
console.log(await callText('grep', { pattern: 'reader' }))
