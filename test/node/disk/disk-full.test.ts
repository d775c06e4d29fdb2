/** A disk that is really full: a file system of a few hundred kilobytes, where this process may mount one. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type DirectoryWorkspace, openDirectories } from '../../../node/workspace/directory-workspace.js'
import { applyPatch } from '../../../src/ops/apply-patch.js'
import { editText } from '../../../src/ops/edit-text.js'
import type { Operation } from '../../../src/ops/operation.js'
import { writeFiles } from '../../../src/ops/write-files.js'
import { snapshotHost } from '../crash/disk-engine.js'

const reason = whyNoMount()
if (reason !== undefined) console.log(`a full disk is not tried: ${reason}`)

const large = 'x'.repeat(1024 * 1024)
const patch = `--- a/small\n+++ b/small\n@@ -1 +1 @@\n-old\n+new\n--- /dev/null\n+++ b/large\n@@ -0,0 +1 @@\n+${large}\n`

const calls = {
  write: call(writeFiles, {
    files: [
      { path: 'small', content: 'new' },
      { path: 'large', content: large },
    ],
  }),
  edit: call(editText, { path: 'small', edits: [{ kind: 'literal', find: 'old', replace: large }] }),
  patch: call(applyPatch, { patch }),
}

/** What needs little room is still done. */
const fits = call(writeFiles, { files: [{ path: 'other', content: 'fits' }] })

// The tree is on the full disk, or the journal is.
describe.skipIf(reason !== undefined).each(['tree', 'journal'] as const)('with the %s on a full disk', (full) => {
  let base: string
  let workspace: DirectoryWorkspace
  const at = (name: string) => path.join(base, name)

  beforeEach(async () => {
    base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-full-')))
    for (const name of ['tree', 'journal']) fs.mkdirSync(at(name))
    mount(at(full))
    fs.writeFileSync(at('tree/small'), 'old\n')
    workspace = await openDirectories([{ directory: at('tree'), access: 'read-write' }], {
      stateDirectory: at('journal'),
    })
    await workspace.ready
    if (full === 'tree') return
    // The journal keeps what is replaced: here all that is there.
    fs.writeFileSync(at('tree/small'), `old\n${'y'.repeat(1024 * 1024)}`)
  })

  afterEach(() => {
    workspace.close()
    spawnSync('umount', ['-l', at(full)])
    fs.rmSync(base, { recursive: true })
  })

  test.each(Object.entries(calls))(
    '%s fails with NO_SPACE, changes nothing and leaves nothing behind',
    async (_name, run) => {
      const before = snapshotHost(at('tree'))
      await expect(run(workspace)).rejects.toMatchObject({ code: 'NO_SPACE' })
      expect(snapshotHost(at('tree'))).toEqual(before)
      expect(pendingIn(at('journal'))).toEqual([])
      await fits(workspace)
      expect(snapshotHost(at('tree'))).toEqual({ ...before, '/other': expect.stringMatching(/ fits$/) })
    },
  )
})

function call<Given, Input, Result>(operation: Operation<Given, Input, Result>, input: Given) {
  return (workspace: DirectoryWorkspace) => operation.run(operation.input.parse(input), workspace, {})
}

function pendingIn(home: string): string[] {
  return fs.readdirSync(home).flatMap((root) => fs.readdirSync(path.join(home, root, 'pending')))
}

function mount(directory: string): void {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k,mode=0700', 'polyfs-full', directory])
  if (status !== 0) throw new Error(String(stderr))
}

function whyNoMount(): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has tmpfs'
  if (process.getuid?.() !== 0) return 'only root may mount one'
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-mount-'))
  try {
    mount(directory)
    spawnSync('umount', ['-l', directory])
    return undefined
  } catch (error) {
    return String(error)
  } finally {
    fs.rmSync(directory, { recursive: true })
  }
}
