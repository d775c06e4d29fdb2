import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { overlay } from '../../../src/fs/backends/overlay.js'
import { type FileReader, type WouldBlock, wouldBlock } from '../../../src/fs/sync.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { searchText } from '../../../src/ops/search-text.js'
import { createWorkspace } from '../../../src/workspace.js'
import { scaled } from '../../scale.js'

const lower = { '/a/one': 'one', '/a/two': 'two', '/a/b/one': 'deep', '/c/one': 'other', '/two': 'top' }
const directories = ['/', '/a', '/a/b', '/a/b/two', '/c', '/c/b', '/two']
const names = ['a', 'b', 'c', 'one', 'two']
const paths = directories.flatMap((directory) => names.map((name) => `${directory === '/' ? '' : directory}/${name}`))

type Step = ['write' | 'remove' | 'makeDir', string] | ['rename' | 'symlink', string, string]
const path = fc.constantFrom(...paths)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom('write' as const, 'remove' as const, 'makeDir' as const), path),
  fc.tuple(fc.constantFrom('rename' as const, 'symlink' as const), path, path),
)

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

const byName = (entries: { name: string }[] | string | WouldBlock) =>
  typeof entries !== 'object' ? entries : [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))

test('synchronous reads of an overlay equal its other reads after any changes, also by readers from before them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const fs = overlay(memory(lower), memory())
      const readers = new Map<string, FileReader>()
      for (const next of [undefined, ...steps]) {
        if (next !== undefined) await outcome(() => make(fs, next))
        for (const directory of directories) {
          const listed = await outcome(() => fs.readDir(directory))
          expect(byName(await outcome(() => fs.sync!.readDir(directory)))).toEqual(byName(listed))
          const reader = readers.get(directory) ?? fs.sync!.fileReader!(directory)
          if (reader !== wouldBlock) readers.set(directory, reader)
          for (const name of names) {
            const at = `${directory === '/' ? '' : directory}/${name}`
            const read = await outcome(() => fs.readFile(at))
            expect(await outcome(() => fs.sync!.readFile(at))).toEqual(read)
            const stat = await outcome(() => fs.stat(at))
            expect(await outcome(() => fs.sync!.stat(at))).toEqual(stat)
            // A directory that came later has a reader of its own.
            const given = reader === wouldBlock ? wouldBlock : reader(name)
            if (given !== wouldBlock || (typeof read !== 'string' && reader !== wouldBlock)) expect(given).toEqual(read)
          }
        }
      }
    }),
    { numRuns: scaled(100) },
  )
})

test('a search of a fork finds its changes, and not the files it removed', async () => {
  const base = memory({
    '/a/kept': 'needle\n',
    '/a/gone': 'needle\n',
    '/a/changed': 'needle\n',
    '/b/c/kept': 'needle\n',
  })
  const fork = createWorkspace({ fs: overlay(base, memory()) })
  await fork.fs.remove('/a/gone')
  await fork.fs.writeFile('/a/changed', new TextEncoder().encode('nothing\n'))
  await fork.fs.writeFile('/b/new', new TextEncoder().encode('a needle\n'))
  const found = async (workspace: typeof fork) => {
    const input = searchText.input.parse({
      path: '/',
      request: { matcher: { pattern: 'needle', syntax: 'literal' }, mode: 'files' },
    })
    return (await searchText.run(input, workspace, {})).files.map((file) => file.path)
  }
  expect(await found(fork)).toEqual(['/a/kept', '/b/c/kept', '/b/new'])
  expect(await found(createWorkspace({ fs: base }))).toEqual(['/a/changed', '/a/gone', '/a/kept', '/b/c/kept'])
})
