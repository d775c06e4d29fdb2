/** Synchronous reads beside the reads that wait, on generated trees: the same results and the same errors. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FsError } from '../src/errors.js'
import { type DirectoryLister, type FileReader, type WouldBlock, wouldBlock } from '../src/fs/sync.js'
import type { FileSystem } from '../src/fs/types.js'
import { scaled } from './scale.js'

/** What the file system has at the start. */
export const startTree = { '/a/one': 'one', '/a/two': 'two', '/a/b/one': 'deep', '/c/one': 'other', '/two': 'top' }

const directories = ['/', '/a', '/a/b', '/a/b/two', '/c', '/c/b', '/two']
const names = ['a', 'b', 'c', 'one', 'two']
const paths = directories.flatMap((directory) => names.map((name) => at(directory, name)))

type Step = ['write' | 'remove' | 'makeDir', string] | ['rename' | 'symlink', string, string]
const path = fc.constantFrom(...paths)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom('write' as const, 'remove' as const, 'makeDir' as const), path),
  fc.tuple(fc.constantFrom('rename' as const, 'symlink' as const), path, path),
)

interface SyncReadsOptions {
  /** A lister or reader knows the directory it was made for, whatever has its name later; a disk may have closed it by then. */
  keepsReaders: boolean
  rounds: number
}

/** `open` makes a file system with `startTree`. */
export function testSyncReads(name: string, open: () => Promise<FileSystem>, options: SyncReadsOptions): void {
  test(`synchronous reads of ${name} equal its other reads after any changes`, async () => {
    let answered = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const fs = await open()
        const readers = new Map<string, FileReader>()
        for (const next of [undefined, ...steps]) {
          if (next !== undefined) await outcome(() => make(fs, next))
          for (const directory of directories) answered += await compareDirectory(fs, directory, readers, options)
        }
      }),
      { numRuns: scaled(options.rounds) },
    )
    // If everything had to be waited for, it would have shown nothing.
    expect(answered).toBeGreaterThan(scaled(options.rounds) * 10)
  })
}

async function compareDirectory(
  fs: FileSystem,
  directory: string,
  readers: Map<string, FileReader>,
  { keepsReaders }: SyncReadsOptions,
): Promise<number> {
  const { sync } = fs
  if (sync === undefined) throw new Error('there are no synchronous reads to compare')
  let answered = 0
  const same = async <Result>(
    given: () => Result | WouldBlock,
    expected: unknown,
    shown = (value: unknown) => value,
  ) => {
    const result = await outcome(given)
    if (result === wouldBlock) return
    expect(shown(result)).toEqual(expected)
    answered += 1
  }
  const listed = sorted(await outcome(() => fs.readDir(directory)))
  await same(() => sync.readDir(directory), listed, sorted)
  const lister: DirectoryLister | WouldBlock | undefined = sync.directoryLister?.('/')
  const parts = directory.split('/').filter(Boolean)
  if (typeof lister === 'function') await same(() => lister(parts), listed, sorted)
  const reader = (keepsReaders ? readers.get(directory) : undefined) ?? sync.fileReader?.(directory) ?? wouldBlock
  if (reader !== wouldBlock) readers.set(directory, reader)
  for (const name of names) {
    const one = at(directory, name)
    const read = await outcome(() => fs.readFile(one))
    await same(() => sync.readFile(one), read)
    const part = await outcome(() => fs.readFile(one, { start: 1, end: 3 }))
    await same(() => sync.readFile(one, { start: 1, end: 3 }), part)
    const stat = await outcome(() => fs.stat(one))
    await same(() => sync.stat(one), stat)
    if (sync.find !== undefined) await same(() => sync.find?.(one) ?? 'NOT_FOUND', stat)
    if (reader !== wouldBlock) await same(() => reader(name), read)
  }
  return answered
}

async function make(fs: FileSystem, [kind, path, to = '']: Step): Promise<void> {
  if (kind === 'write') await fs.writeFile(path, new TextEncoder().encode(`written to ${path}`))
  if (kind === 'remove') await fs.remove(path)
  if (kind === 'makeDir') await fs.makeDir(path)
  if (kind === 'rename') await fs.rename(path, to)
  if (kind === 'symlink') await fs.symlink?.(to, path)
}

/** What a call gives, or the code it fails with. */
async function outcome<Result>(run: () => Result | Promise<Result>): Promise<Result | string> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof FsError)) throw error
    return error.code
  }
}

function sorted(entries: unknown): unknown {
  if (!Array.isArray(entries)) return entries
  return [...entries].sort((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1))
}

function at(directory: string, name: string): string {
  return `${directory === '/' ? '' : directory}/${name}`
}
