import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { wouldBlock } from '../../../src/fs/sync.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { withoutFacets } from '../../../src/fs/without-facets.js'

const made: { close(): void }[] = []

afterEach(() => {
  for (const each of made.splice(0)) each.close()
})

/** A directory that holds `a/b/c/file`, and what is outside of it. */
function disk() {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-lister-')))
  const root = path.join(top, 'root')
  fs.mkdirSync(path.join(root, 'a/b/c'), { recursive: true })
  fs.mkdirSync(path.join(top, 'outside/c'), { recursive: true })
  fs.writeFileSync(path.join(root, 'a/b/c/file'), '')
  fs.writeFileSync(path.join(top, 'outside/c/secret'), '')
  const files = nodeFs(root, { anchor: 'descriptor' })
  made.push(files, { close: () => fs.rmSync(top, { recursive: true, force: true }) })
  return { top, root, files }
}

/** The names in a directory, or what a lister returned in their place. */
function listed(files: Pick<FileSystem, 'sync'>, directory: string) {
  const list = files.sync?.directoryLister?.(directory)
  return (...names: string[]) => {
    const entries = typeof list === 'function' ? list(names) : list
    return typeof entries === 'object' ? entries.map(({ name }) => name) : entries
  }
}

describe.runIf(process.platform === 'linux')('a lister', () => {
  it('lists what lies below its directory, by names, in any order', () => {
    const { files } = disk()
    const list = listed(files, '/a')
    expect(list('b', 'c')).toEqual(['file'])
    expect(list()).toEqual(['b'])
    expect(list('b')).toEqual(['c'])
    expect(list('b', 'c')).toEqual(['file'])
  })

  it('goes through no link, wherever one is put', () => {
    const { top, root, files } = disk()
    const list = listed(files, '/')
    expect(list('a')).toEqual(['b'])
    fs.renameSync(path.join(root, 'a/b'), path.join(root, 'a/moved'))
    fs.symlinkSync(path.join(top, 'outside'), path.join(root, 'a/b'))
    expect(list('a', 'b')).toBe(wouldBlock)
    expect(list('a', 'b', 'c')).toBe(wouldBlock)
    expect(listed(files, '/a/b')()).toBe(wouldBlock)
    expect(list('a', 'moved', 'c')).toEqual(['file'])
  })

  it('closes its directories by itself', async () => {
    const { root, files } = disk()
    const held = () =>
      fs.readdirSync('/proc/self/fd').filter((fd) => leadsTo(`/proc/self/fd/${fd}`, path.join(root, 'a')))
    listed(files, '/')('a', 'b', 'c')
    expect(held()).toHaveLength(3)
    await expect.poll(held, { timeout: 20_000 }).toEqual([])
  })

  it('would block above a mount point', () => {
    const { files } = disk()
    const both = mount({ '/': files, '/a/b/other': memory() })
    expect(listed(both, '/a')()).toBe(wouldBlock)
    expect(listed(both, '/a/b/c')()).toEqual(['file'])
  })

  it('would block at a gate outside its roots', () => {
    const gate = confine(disk().files, { roots: [{ path: '/a', access: 'read-only' }] })
    expect(listed(gate, '/')()).toBe(wouldBlock)
    expect(listed(gate, '/a')()).toEqual(['b'])
  })

  it('leads a walk to the same entries as paths do, links and deep trees among them', async () => {
    const { root, files } = disk()
    fs.symlinkSync('a', path.join(root, 'link'))
    fs.mkdirSync(path.join(root, ...Array.from({ length: 130 }, () => 'd')), { recursive: true })
    const byPath: FileSystem = withoutFacets(files)
    expect(await all(files)).toEqual(await all(byPath))
  })
})

async function all(files: FileSystem): Promise<string[]> {
  const found: string[] = []
  for await (const { path: at, kind } of walk(files, '/')) found.push(`${kind} ${at}`)
  return found
}

function leadsTo(link: string, directory: string): boolean {
  try {
    return fs.readlinkSync(link).startsWith(directory)
  } catch {
    // The one that was used to list them.
    return false
  }
}
