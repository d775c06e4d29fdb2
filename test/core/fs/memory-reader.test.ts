import { describe, expect, it } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { windowsRules } from '../../../src/fs/path-rules.js'
import { type FileReader, wouldBlock } from '../../../src/fs/sync.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { searchText } from '../../../src/ops/search-text.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'

const encode = (text: string) => new TextEncoder().encode(text)

function readerOf(fs: FileSystem, directory: string) {
  const read = fs.sync?.fileReader?.(directory) as FileReader
  return (name: string) => {
    const bytes = read(name)
    return bytes === wouldBlock ? wouldBlock : new TextDecoder().decode(bytes)
  }
}

describe('a reader', () => {
  it('reads the current content, not that of an earlier read', async () => {
    const fs = memory({ '/a/one': 'first', '/a/two': 'second' })
    const read = readerOf(fs, '/a')
    expect([read('one'), read('two')]).toEqual(['first', 'second'])
    await fs.writeFile('/a/one', encode('changed'))
    await fs.remove('/a/two')
    await fs.writeFile('/a/new', encode('new'))
    expect([read('one'), read('new')]).toEqual(['changed', 'new'])
    expect(read('two')).toBe(wouldBlock)
    await fs.rename('/a/new', '/a/one')
    expect(read('one')).toBe('new')
    expect(read('new')).toBe(wouldBlock)
  })

  it('would block for a directory that was moved, removed or closed', async () => {
    const fs = memory({ '/a/b/one': 'old' })
    const read = readerOf(fs, '/a/b')
    expect(read('one')).toBe('old')
    await fs.rename('/a', '/moved')
    expect(read('one')).toBe(wouldBlock)
    await fs.makeDir('/a')
    await fs.makeDir('/a/b')
    await fs.writeFile('/a/b/one', encode('other'))
    expect(read('one')).toBe('other')
    await fs.setMode?.('/a', 0o600)
    expect(read('one')).toBe(wouldBlock)
    await fs.setMode?.('/a', 0o700)
    expect(read('one')).toBe('other')
    await fs.setMode?.('/a/b/one', 0)
    expect(read('one')).toBe(wouldBlock)
  })

  it('follows no link, and reads one name at a time', async () => {
    const fs = memory({ '/a/b/one': 'text', '/a/file': '' })
    await fs.symlink?.('b/one', '/a/link')
    await fs.symlink?.('b', '/a/linked')
    const read = readerOf(fs, '/a')
    for (const name of ['link', 'linked', 'b', 'b/one', '.', '..', '', 'missing']) expect(read(name)).toBe(wouldBlock)
    for (const path of ['/a/linked', '/a/file', '/a/missing']) expect(fs.sync?.fileReader?.(path)).toBe(wouldBlock)
  })

  it('gives bytes that stay as they are when the file changes', async () => {
    const fs = memory({ '/a/one': 'first' })
    const read = fs.sync?.fileReader?.('/a') as FileReader
    const [named, whole] = [read('one'), fs.sync?.readFile('/a/one')]
    await fs.writeFile('/a/one', encode('other'))
    expect([named, whole]).toEqual([encode('first'), encode('first')])
  })

  it('does not read files that a mount covers', () => {
    const fs = mount({ '/': memory({ '/disk': 'covered', '/a/one': 'text' }), '/disk': memory({ '/two': 'within' }) })
    expect(fs.sync?.fileReader?.('/')).toBe(wouldBlock)
    expect([readerOf(fs, '/a')('one'), readerOf(fs, '/disk')('two')]).toEqual(['text', 'within'])
  })

  it('stays within the roots, and is absent under other rules for names', () => {
    const fs = memory({ '/in/con': 'text', '/out/one': 'secret' })
    const roots = [{ path: '/in', access: 'read-only' }] as const
    const confined = confine(fs, { roots })
    expect(readerOf(confined, '/in')('con')).toBe('text')
    expect(confined.sync?.fileReader?.('/out')).toBe(wouldBlock)
    expect(confine(fs, { roots, pathRules: windowsRules }).sync?.fileReader).toBeUndefined()
  })
})

describe('listings in memory', () => {
  it('list a directory as it is now, not as listed before', async () => {
    const fs = memory({ '/a/b/one': '', '/a/file': '' })
    const names = async () => (await fs.readDir('/a')).map(({ name, kind }) => `${name} ${kind}`)
    expect(await names()).toEqual(['b directory', 'file file'])
    await fs.rename('/a/b/one', '/a/one')
    await fs.remove('/a/file')
    await fs.symlink?.('one', '/a/file')
    expect(await names()).toEqual(['b directory', 'file symlink', 'one file'])
    await fs.rename('/a/file', '/a/one')
    expect(await names()).toEqual(['b directory', 'one symlink'])
    await fs.setMode?.('/a', 0o300)
    await expect(names()).rejects.toMatchObject({ code: 'DENIED' })
  })
})

describe('a search in memory', () => {
  it('counts unreadable files, and searches through links that are named', async () => {
    const fs = memory({ '/a/closed': 'needle', '/a/one': 'needle', '/a/two': 'nothing', '/b/three': 'needle' })
    await fs.setMode?.('/a/closed', 0)
    await fs.symlink?.('../b/three', '/a/link')
    const workspace = createWorkspace({ fs })
    const request = { matcher: { pattern: 'needle', syntax: 'literal' as const }, mode: 'files' as const }
    const search = async (named?: string[]) => {
      const { files, summary } = await searchText.run(
        searchText.input.parse({ path: '/a', request, ...(named && { files: named }) }),
        workspace,
        {},
      )
      return { paths: files.map(({ path }) => path), searched: summary.filesSearched, skipped: summary.skipped }
    }
    const unreadable = { binary: 0, tooLarge: 0, unreadable: 1, notUtf8: 0 }
    expect(await search()).toEqual({ paths: ['/a/one'], searched: 2, skipped: unreadable })
    const named = ['/a/link', '/a/missing', '/a/two', '/b/three']
    expect(await search(named)).toEqual({ paths: ['/a/link', '/b/three'], searched: 3, skipped: unreadable })
  })
})
