/** Generated scripts do to a tree what they do to a directory, and undo brings every byte back. */
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nodeFs } from '../../../../node/disk/node-fs.js'
import { nodeShell } from '../../../../node/shell/node-shell.js'
import { openSandbox } from '../../../../node/shell/sandbox/sandbox.js'
import { keyValue } from '../../../../src/fs/backends/key-value/file-system.js'
import { memory } from '../../../../src/fs/backends/memory.js'
import { overlay } from '../../../../src/fs/backends/overlay.js'
import { sqlite } from '../../../../src/fs/backends/sqlite/workspaces.js'
import type { FileSystem } from '../../../../src/fs/types.js'
import { seededRandom } from '../../../../src/text/seeded-random.js'
import { createWorkspace } from '../../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../../src/workspace/workspace.js'
import { mapStore } from '../../../core/fs/key-value-stores.js'
import { sqlJs } from '../../../core/fs/sqlite-database.js'
import { snapshot } from '../../../emulated-shell.js'
import { scaled, seeded } from '../../../scale.js'
import { bash, layersLack, layersWork, sharedShell } from './stage.js'

const names = ['a', 'b', 'sub', 'sub/c', 'sub/deep', 'sub/deep/d', 'x y', 'ü', '.hidden']

/** A script of commands that change files, some of which fail. */
function script(random: () => number): string {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  const name = () => `'${pick(names)}'`
  const steps: (() => string)[] = [
    () => `echo ${Math.floor(random() * 1000)} > ${name()}`,
    () => `echo ${Math.floor(random() * 1000)} >> ${name()}`,
    () => `mkdir -p ${name()}`,
    () => `rm -rf ${name()}`,
    () => `rm ${name()}`,
    () => `rmdir ${name()}`,
    () => `mv ${name()} ${name()}`,
    () => `mv -T ${name()} ${name()}`,
    () => `cp -r ${name()} ${name()}`,
    () => `ln -s ${name()} ${name()}`,
    () => `chmod ${pick(['744', '755', '700', '500'])} ${name()}`,
    () => `touch -d @${1_500_000_000 + Math.floor(random() * 1000)} ${name()}`,
    () => `truncate -s ${Math.floor(random() * 5000)} ${name()}`,
    () => `rm -rf ${name()} && mkdir -p ${name()}`,
    () => `sed -i s/1/one/g ${name()}`,
    () => `find . -mindepth 1 | LC_ALL=C sort`,
    () => `cat ${name()} ${name()}`,
    () => `( cd ${name()} && ls -A | LC_ALL=C sort && echo x > in )`,
  ]
  const lines = Array.from({ length: 3 + Math.floor(random() * 8) }, () => `${pick(steps)()}; echo "= $?"`)
  return `cd w; ${lines.join('\n')}`
}

const start = { 'w/a': 'one\n1\n', 'w/sub/c': 'c1\n', 'w/sub/deep/d': 'd\n', 'w/x y': '1' }

interface Backend {
  name: string
  open(): Promise<Workspace>
}

async function plant(tree: FileSystem): Promise<void> {
  for (const directory of ['/w', '/w/sub', '/w/sub/deep']) await tree.makeDir(directory)
  for (const [path, content] of Object.entries(start))
    await tree.writeFile(`/${path}`, new TextEncoder().encode(content))
}

const backends: Backend[] = [
  { name: 'memory', open: async () => createWorkspace({ fs: memory(start), shell: sharedShell }) },
  {
    name: 'an overlay of the disk',
    async open() {
      const directory = fs.mkdtempSync('/tmp/polyfs-lower-')
      const disk = nodeFs(directory)
      onTestFinished(() => {
        disk.close()
        fs.rmSync(directory, { recursive: true, force: true })
      })
      await plant(disk)
      return createWorkspace({ fs: overlay(disk, memory()), shell: sharedShell })
    },
  },
  {
    name: 'a database',
    async open() {
      const tree = sqlite((await sqlJs())())
      await plant(tree)
      return createWorkspace({ fs: tree, shell: sharedShell })
    },
  },
  {
    name: 'a key-value store',
    async open() {
      const tree = keyValue(mapStore())
      await plant(tree)
      return createWorkspace({ fs: tree, shell: sharedShell })
    },
  },
  {
    name: 'a fork',
    async open() {
      const origin = createWorkspace({ fs: memory(start), shell: sharedShell })
      await bash(origin, 'echo origin > w/b')
      await origin.history.undo()
      const fork = await origin.fork()
      onTestFinished(async () => {
        await fork.discard()
        await origin.shell?.close()
      })
      return fork
    },
  },
]

function sameInDirectory() {
  const directory = fs.realpathSync(fs.mkdtempSync('/dev/shm/polyfs-plain-'))
  const sandbox = openSandbox({ mode: 'require', roots: [{ path: directory, access: 'read-write' }] })
  const shell = nodeShell({ hostPath: (path) => join(directory, path), ...(sandbox && { sandbox }) })
  const disk = nodeFs(directory)
  onTestFinished(async () => {
    await shell.close()
    disk.close()
    fs.rmSync(directory, { recursive: true, force: true })
  })
  return createWorkspace({ fs: disk, shell, watchCommands: false })
}

describe.skipIf(!layersWork)(`generated scripts${layersWork ? '' : ` (${layersLack})`}`, () => {
  test.each(backends)('do the same on $name as on a directory', async ({ open }) => {
    const [ours, plain] = [await open(), sameInDirectory()]
    await plant(plain.fs)
    onTestFinished(() => ours.shell?.close())
    const random = seededRandom(seeded(48))
    const before = [await snapshot(ours)]
    for (let round = 0; round < scaled(60); round += 1) {
      const command = script(random)
      const [expected, found] = [await bash(plain, command), await bash(ours, command)]
      expect(found, command).toEqual(expected)
      const tree = await snapshot(ours)
      expect(tree, command).toEqual(await snapshot(plain))
      if ((await ours.history.list()).length >= before.length) before.push(tree)
    }
    for (const tree of before.reverse().slice(1)) {
      await ours.history.undo()
      expect(await snapshot(ours)).toEqual(tree)
    }
  })
})
