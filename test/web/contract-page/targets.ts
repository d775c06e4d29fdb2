/** What the contracts are run on, in a page or in a worker. */
import { type CaseResult, type Deviations, runContract } from '../../../contract/fs/index.js'
import { runShellContract, type ShellCaseResult } from '../../../contract/shell/index.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createPack, openPack } from '../../../src/fs/backends/pack/pack.js'
import type { FileSystem } from '../../../src/fs/types.js'
import type { Shell } from '../../../src/shell/types.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { emulatedShell } from '../../../web/engine/emulated-shell.js'
import { opfs } from '../../../web/opfs/opfs.js'
import { opfsSegments } from '../../../web/opfs/opfs-segments.js'
import { emulatedShellDeviations } from '../../emulated-shell.js'
import { opfsDeviations } from '../opfs/opfs-deviations.js'

export type Results = Array<CaseResult | ShellCaseResult>

export const targets = {
  memory: () => contractOn({ fs: memory(), base: '/base' }),
  opfs: async () => contractOn({ fs: await opfs(), base: `/${crypto.randomUUID()}` }, opfsDeviations),
  pack: contractOnPack,
  shell: contractOnShell,
} satisfies Record<string, () => Promise<Results>>

export type TargetName = keyof typeof targets

async function contractOn(target: { fs: FileSystem; base: string }, deviations: Deviations = {}): Promise<Results> {
  return (await runContract(target, { deviations })).results
}

async function contractOnPack(): Promise<Results> {
  const top = await navigator.storage.getDirectory()
  const directory = await top.getDirectoryHandle(crypto.randomUUID(), { create: true })
  const segments = await opfsSegments(directory)
  await createPack(segments, [memory().snapshot()])
  const pack = await openPack(segments, { now: Date.now, trees: 1 })
  if (pack === undefined) throw new Error('there is no pack')
  const results = await contractOn({ fs: pack.trees[0] as FileSystem, base: '/base' })
  await pack.close()
  await top.removeEntry(directory.name, { recursive: true })
  return results
}

async function contractOnShell(): Promise<Results> {
  const workspace = createWorkspace({ fs: memory(), shell: emulatedShell() })
  const target = { shell: workspace.shell as Shell, fs: workspace.fs, base: '/base' }
  const results = await runShellContract(target, { deviations: emulatedShellDeviations })
  await workspace.shell?.close()
  return results
}
