import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { type DirectoryWorkspaceOptions, openDirectories } from '../../../node/workspace/directory-workspace.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { offeredTools } from '../../../src/tools/call-tool.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { dialects } from '../../dialects/all.js'

const open: Array<() => void> = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

async function onDisk(options: DirectoryWorkspaceOptions): Promise<Workspace> {
  const directory = mkdtempSync(path.join(tmpdir(), 'polyfs-selection-'))
  const workspace = await openDirectories([{ directory, access: 'read-write' }], { ...options, durable: false })
  open.push(() => {
    workspace.close()
    rmSync(directory, { recursive: true })
  })
  return workspace
}

/** The ends of the descriptions of tools that run commands, by dialect. */
function endings(workspace: Workspace): Record<string, string[]> {
  const all = Object.values(dialects).map((dialect) => {
    const sentences = offeredTools(dialect, workspace).map(({ description }) => /Runs on .*/s.exec(description)?.[0])
    return [dialect.name, sentences.filter((sentence) => sentence !== undefined)] as const
  })
  return Object.fromEntries(all.filter(([, sentences]) => sentences.length > 0))
}

test('on disk the default is the shell of this computer', async () => {
  expect((await onDisk({})).shell?.kind).toBe('real')
  expect((await onDisk({ shell: 'auto' })).shell?.kind).toBe('real')
})

test('a given shell is used', async () => {
  expect((await onDisk({ shell: emulatedShell() })).shell?.kind).toBe('emulated')
})

test('there is no shell when commands are disabled or the workspace is read-only', async () => {
  expect((await onDisk({ shell: 'auto', commands: false })).shell).toBe(undefined)
  expect((await onDisk({ shell: 'auto', readOnly: true })).shell).toBe(undefined)
  expect(createWorkspace({ fs: memory(), shell: emulatedShell(), readOnly: true }).shell).toBe(undefined)
})

const withShell = ['polyfs', 'clarvis', 'replay', 'anthropic', 'openai', 'gemini']

test.skipIf(process.platform === 'win32')('tools that run commands say on what', async () => {
  const disk = await onDisk({})
  const sentence = `Runs on ${disk.shell?.engine}.`
  expect(sentence).toMatch(/^Runs on the shell of this computer \(\/bin\/(ba)?sh\)\.$/)
  expect(endings(disk)).toEqual(Object.fromEntries(withShell.map((name) => [name, [sentence]])))

  const emulated = 'Runs on an emulated bash that runs no programs of the machine.'
  expect(endings(createWorkspace({ fs: memory(), shell: emulatedShell() }))).toEqual(
    Object.fromEntries(withShell.map((name) => [name, [emulated]])),
  )
  expect(endings(createWorkspace({ fs: memory() }))).toEqual({})
})
