import { mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { nodeFs } from '../../node/disk/node-fs.js'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { unpacked } from '../../src/archive/zip-fs.js'
import { memory } from '../../src/fs/backends/memory.js'
import { mount } from '../../src/fs/backends/mount.js'
import { overlay } from '../../src/fs/backends/overlay.js'
import { readonly } from '../../src/fs/backends/readonly.js'
import type { FileSystem } from '../../src/fs/types.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { zipBytes } from '../core/archive/zip-bytes.js'
import { run } from '../emulated-shell.js'
import { escapeCases } from '../escapes/cases.js'
import { describeControl, describeEscapes } from '../escapes/describe-escapes.js'
import { everythingIn, plant, plantedFiles, plantLinks } from '../escapes/stage.js'
import { built } from '../node/cli/built.js'
import { sample } from '../scale.js'

const workerFile = built('node/emulated-worker.js')
const shell = emulatedShell({ worker: workerFile })
const done: Array<() => void> = []
afterAll(() => {
  for (const clear of done) clear()
})

async function inMemory(): Promise<FileSystem> {
  const fs = memory()
  await plant(fs)
  return fs
}

async function onDisk(directory = newDirectory()): Promise<FileSystem> {
  const fs = nodeFs(directory)
  done.push(() => {
    fs.close()
    rmSync(directory, { recursive: true })
  })
  await plant(fs)
  return fs
}

function newDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'polyfs-escapes-')))
}

async function fromZip(): Promise<FileSystem> {
  const files = Object.entries(await plantedFiles()).map(([path, data]) => ({ name: path.slice(1), data }))
  const fs = await unpacked(await zipBytes([...files, { name: 'hidden/empty/', mode: 0o040755, method: 0 }]))
  await plantLinks(fs)
  return fs
}

async function mounted(): Promise<FileSystem> {
  const fs = mount({ '/': memory(), '/w': memory() })
  await plant(fs)
  return fs
}

/** For file systems that stand on others. */
const some = sample(escapeCases)

describeControl({ makeFs: inMemory, shell })
describeEscapes('memory', { makeFs: inMemory, shell, cases: sample(escapeCases, { every: 8 }) })
describeEscapes('an overlay on what is read-only', {
  makeFs: async () => overlay(readonly(await inMemory()), memory()),
  shell,
  cases: some,
})
describeEscapes('a mount', { makeFs: mounted, shell, cases: some })
describeEscapes('a tree from an archive', { makeFs: fromZip, shell, cases: some })
describeEscapes('the disk', { makeFs: onDisk, shell, cases: sample(escapeCases, { every: 12 }) })
// The lower layer never changes, so that all cases can share it.
const below = onDisk()
describeEscapes('an overlay on the disk', { makeFs: async () => overlay(await below, memory()), shell, cases: some })

test('nothing changes in a read-only root, nor beside it', async () => {
  const fs = await inMemory()
  await fs.makeDir('/free')
  const before = await everythingIn(fs, '/')
  const workspace = createWorkspace({
    fs,
    roots: [
      { path: '/w', access: 'read-only' },
      { path: '/free', access: 'read-write' },
    ],
    shell,
  })
  for (const { command } of sample(escapeCases, { every: 6 })) await run(workspace, `rm -rf ../free/*; ${command}`)
  // What a command may do to the root that is writable is undone first.
  await run(workspace, 'chmod 755 /free; rm -rf /free/* /free/.[a-z]*; echo x > a.txt; rm -r sub; touch new; git init')
  expect(await everythingIn(fs, '/')).toEqual(before)
  expect(createWorkspace({ fs: readonly(fs), shell }).shell).toBe(undefined)
})

test('a directory that is swapped for a link while a command runs does not lead outside', async () => {
  const host = newDirectory()
  const fs = await onDisk(host)
  const before = await everythingIn(fs, '/hidden')
  const workspace = createWorkspace({ fs, roots: [{ path: '/w', access: 'read-write' }], shell })
  const command =
    'cat sub/b.txt; until [ -f go ]; do sleep 0.01; done; cat sub/secret.txt; echo x > sub/made; echo x > sub/secret.txt; rm -r sub/empty'
  let swapped = false
  const { stdout } = await run(workspace, command, {
    onOutput() {
      if (swapped) return
      swapped = true
      renameSync(join(host, 'w/sub'), join(host, 'w/gone'))
      symlinkSync('../hidden', join(host, 'w/sub'))
      writeFileSync(join(host, 'w/go'), '')
    },
  })
  expect(stdout).toBe('b\n')
  expect(await everythingIn(fs, '/hidden')).toEqual(before)
})
