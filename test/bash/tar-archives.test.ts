/** GNU tar reads what ours has written: archives that are handed over at once, and in many parts. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emulatedShell } from '../../node/shell/emulated-shell.js'
import { memory } from '../../src/fs/backends/memory.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import { run } from '../emulated-shell.js'
import { built } from '../node/cli/built.js'

const megabyte = 1 << 20
const names = ['a', 'b', 'c', 'd', 'e']

function fileOf(size: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => (at * seed) & 0xff)
}

test.each([1000, megabyte, 2 * megabyte - 512, 4 * megabyte + 1])('five files of %i bytes', async (size) => {
  const files = names.map((name, at) => [`/d/${name}`, fileOf(size, at + 3)] as const)
  const shell = emulatedShell({ worker: built('node/emulated-worker.js') })
  const workspace = createWorkspace({ fs: memory(Object.fromEntries(files)), shell })
  onTestFinished(async () => workspace.shell?.close())

  const command =
    'tar cf x.tar d/a d/b && tar rf x.tar d/c && tar rf x.tar --remove-files d/d d/e && ls d && tar tf x.tar'
  const { exitCode, stdout, stderr } = await run(workspace, command)
  expect([exitCode, stderr, stdout]).toEqual([0, '', `a\nb\nc\n${names.map((name) => `d/${name}\n`).join('')}`])

  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-test-tar-'))
  onTestFinished(() => fs.rmSync(directory, { recursive: true }))
  fs.writeFileSync(path.join(directory, 'x.tar'), await workspace.fs.readFile('/x.tar'))
  execFileSync('tar', ['xf', 'x.tar'], { cwd: directory })
  for (const [name, bytes] of files) expect(Buffer.compare(bytes, fs.readFileSync(path.join(directory, name)))).toBe(0)
})
