/** Search in Web Workers over OPFS returns exactly what the portable search returns. */
import { describe, expect, it } from 'vitest'
import { confine } from '../../../src/fs/gate/confine.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'
import { type FilesToSearch, fileToSearch, type SearchRequest } from '../../../src/search/run/records.js'
import { collectMatches, search } from '../../../src/search/run/searcher.js'
import { opfs } from '../../../web/opfs/opfs.js'
import { opfsSearcher } from '../../../web/opfs/opfs-searcher.js'
import { openOpfs } from '../../../web/opfs/opfs-workspace.js'
import { filesIn, randomFrom, requestFrom, treeFrom } from '../../core/search/generated-trees.js'
import { sample } from '../../scale.js'

async function plant(tree: Record<string, Uint8Array>): Promise<{ directory: string; fs: FileSystem }> {
  const directory = crypto.randomUUID()
  const fs = await opfs(directory)
  const made = new Set<string>()
  for (const path of Object.keys(tree)) {
    const parts = path.split('/').slice(1, -1)
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const parent = `/${parts.slice(0, depth).join('/')}`
      if (!made.has(parent)) await fs.makeDir(parent)
      made.add(parent)
    }
  }
  await Promise.all(Object.entries(tree).map(([path, content]) => fs.writeFile(path, content)))
  return { directory, fs }
}

function gate(fs: FileSystem): FileSystem {
  return confine(fs, { roots: [{ path: '/', access: 'read-write' }] })
}

describe('searching OPFS', () => {
  it.each(sample([1, 2, 3]))('twelve searches find the same in workers and portably (seed %i)', async (seed) => {
    const random = randomFrom(seed)
    const { directory, fs } = await plant(treeFrom(random, { files: 90, directories: 8 }))
    const confined = gate(fs)
    const searcher = opfsSearcher({ fs: confined, directory, workers: 2 })
    for (let i = 0; i < 12; i += 1) {
      const request = requestFrom(random)
      const expected = await collectMatches(search(confined, filesIn(confined, '/'), request))
      const found = await collectMatches(searcher.search(filesIn(confined, '/'), request))
      expect({ request, ...found }).toEqual({ request, ...expected })
    }
  })

  it('is done by the workers: the page reads nothing itself', async () => {
    const { directory, fs } = await plant(treeFrom(randomFrom(8), { files: 100, directories: 6 }))
    const read: string[] = []
    const watched: FileSystem = {
      ...withoutFacets(fs),
      readFile: (path, range) => {
        read.push(path)
        return fs.readFile(path, range)
      },
    }
    const searcher = opfsSearcher({ fs: watched, directory, workers: 2 })
    const request: SearchRequest = { matcher: { pattern: 'o', syntax: 'literal' }, mode: 'content' }
    const { summary } = await collectMatches(searcher.search(filesIn(fs, '/'), request))
    expect({ searched: summary.filesSearched, read }).toEqual({ searched: 100, read: [] })
  })

  it('an unreachable path fails in a worker as it does at the gate', async () => {
    const tree = treeFrom(randomFrom(5), { files: 60, directories: 4 })
    const { directory, fs } = await plant(tree)
    const confined = gate(fs)
    const searcher = opfsSearcher({ fs: confined, directory, workers: 2 })
    const named = [...Object.keys(tree), '/missing', '/no/such.txt', '/', '/./x/..', '/missing too'].map(fileToSearch)
    async function* these(): AsyncGenerator<FilesToSearch> {
      yield* named
    }
    const request: SearchRequest = { matcher: { pattern: 'o', syntax: 'literal' }, mode: 'content' }
    expect(await collectMatches(searcher.search(these(), request))).toEqual(
      await collectMatches(search(confined, these(), request)),
    )
  })

  it('stops on an abort, and the next search works', async () => {
    const { directory, fs } = await plant(treeFrom(randomFrom(6), { files: 150, directories: 6 }))
    const searcher = opfsSearcher({ fs, directory, workers: 2 })
    const request: SearchRequest = { matcher: { pattern: 'o', syntax: 'literal' }, mode: 'files' }
    const aborter = new AbortController()
    const searching = searcher.search(filesIn(fs, '/'), request, { signal: aborter.signal })
    expect((await searching.next()).done).toBe(false)
    aborter.abort()
    const next = await searching.next()
    expect(next.done === true && next.value.truncated).toBe('aborted')
    expect(await collectMatches(searcher.search(filesIn(fs, '/'), request))).toEqual(
      await collectMatches(search(fs, filesIn(fs, '/'), request)),
    )
  })

  it('returns the same in an OPFS workspace', async () => {
    const { directory, fs } = await plant(treeFrom(randomFrom(7), { files: 80, directories: 4 }))
    const { searcher } = (await openOpfs(directory)).internals
    const request: SearchRequest = { matcher: { pattern: 'foo', syntax: 'literal' }, mode: 'content' }
    if (searcher === undefined) throw new Error('there is no searcher')
    expect(await collectMatches(searcher.search(filesIn(fs, '/'), request))).toEqual(
      await collectMatches(search(fs, filesIn(fs, '/'), request)),
    )
  })
})
