import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type NodeFileSystem, type NodeFsOptions, nodeFs } from '../../../node/disk/node-fs.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { overlay } from '../../../src/fs/backends/overlay.js'
import { readonly } from '../../../src/fs/backends/readonly.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { syncOrAsync, wouldBlock } from '../../../src/fs/sync.js'
import { transactional } from '../../../src/fs/transactional.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { type DisposableTarget, describeContract, describeWrapperContract } from '../../describe-contract.js'
import { realDisk } from '../../real-disk.js'

/** A real directory of its own, and what removes it. Waiting for the disk is left out: it changes no outcome. */
function disk(options: NodeFsOptions = {}, place = os.tmpdir()): { files: NodeFileSystem; dispose: () => void } {
  const root = fs.mkdtempSync(path.join(place, 'polyfs-contract-'))
  const files = nodeFs(root, { fsync: false, ...options })
  const dispose = () => {
    files.close()
    fs.rmSync(root, { recursive: true, force: true })
  }
  return { files, dispose }
}

describeContract('a real disk anchored by descriptor', () => {
  const { files, dispose } = disk({ anchor: 'descriptor' }, realDisk)
  return { fs: files, base: '/base', dispose }
})

describeWrapperContract('a real disk anchored by walking', () => {
  const { files, dispose } = disk({ anchor: 'walk' })
  return { fs: files, base: '/base', dispose }
})

describeWrapperContract('a real disk, used synchronously', () => {
  const { files, dispose } = disk()
  return { fs: preferSync(files), base: '/base', dispose }
})

describeWrapperContract('a mounted real disk, used synchronously', () => {
  const { files, dispose } = disk()
  const mounted = preferSync(mount({ '/': memory(), '/home/disk': files }))
  return { fs: mounted, base: '/home/disk/base', root: '/home/disk', dispose }
})

/** Uses the facets for everything they can do, as the change engine does. */
function preferSync(files: FileSystem): FileSystem {
  const { sync } = files
  const { sync: syncTransactional, rename, remove, makeDir = files.makeDir } = transactional(files)
  return {
    ...files,
    stat: async (at) => syncOrAsync(sync?.stat(at), () => files.stat(at)),
    readFile: async (at, range) => syncOrAsync(sync?.readFile(at, range), () => files.readFile(at, range)),
    readDir: async (at) => syncOrAsync(sync?.readDir(at), () => files.readDir(at)),
    async rename(from, to) {
      const renamed = syncTransactional?.rename ? syncTransactional.rename(from, to) : wouldBlock
      if (renamed === wouldBlock) await rename(from, to)
    },
    async remove(at) {
      const removed = syncTransactional?.remove ? syncTransactional.remove(at) : wouldBlock
      if (removed === wouldBlock) await remove(at)
    },
    makeDir,
  }
}

describeWrapperContract('memory over a real disk', () => {
  const { files, dispose } = disk()
  return { fs: overlay(files, memory()), seed: files, base: '/base', dispose }
})

describeWrapperContract('a real disk over a real disk', () => {
  const lower = disk()
  const upper = disk()
  return {
    fs: overlay(lower.files, upper.files),
    seed: lower.files,
    base: '/base',
    dispose() {
      lower.dispose()
      upper.dispose()
    },
  }
})

describeWrapperContract('a real disk mounted below the root', () => {
  const { files, dispose } = disk()
  return { fs: mount({ '/': memory(), '/home/disk': files }), base: '/home/disk/base', root: '/home/disk', dispose }
})

describeWrapperContract('a confined real disk', (): DisposableTarget => {
  const { files, dispose } = disk()
  const confined = confine(files, { roots: [{ path: '/', access: 'read-write' }] })
  return { fs: confined, seed: files, base: '/base', links: 'followed', dispose }
})

describeWrapperContract('a read-only real disk', () => {
  const { files, dispose } = disk()
  return { fs: readonly(files), seed: files, base: '/base', dispose }
})
