/** From what the command line says to the workspace that is served. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { memory } from '../src/fs/memory.js'
import { overlay } from '../src/fs/overlay.js'
import { exportZip } from '../src/ops/whole-archive.js'
import { sampleProject } from '../src/sample-project.js'
import { createWorkspace, type Workspace } from '../src/workspace.js'
import { anyDirectory } from './any-directory.js'
import type { ServeArguments } from './arguments.js'
import { emulatedShell, hasEmulatedShell } from './emulated-shell.js'
import { openOverlaid } from './overlaid.js'
import { seedFrom } from './seed.js'
import { type DirectoryWorkspace, openDirectories } from './workspace.js'

export interface OpenServed {
  readonly workspace: Workspace
  /** Every workspace that may have changes under way. */
  workspaces(): readonly Workspace[]
  /** A workspace that starts as this one did and shares no change with it; absent where all clients share one. */
  fork?(): Workspace
  /** Keeps what was to be kept, once no change is under way. */
  keep(): Promise<void>
  /** Releases directories, and ends commands left in the background. */
  close(): void
}

export interface OpenServedOptions {
  /** The module that the threads which search start from. */
  searchWorker: string
  /** Told what the user should know. */
  warn: (message: string) => void
}

/** Throws an `FsError` or a `SeedError` for what can't be opened. */
export async function openServed(
  given: ServeArguments,
  { searchWorker, warn }: OpenServedOptions,
): Promise<OpenServed> {
  const options = {
    // A dialect that only reads needs neither a journal nor the right to write.
    readOnly: given.readOnly || !given.dialect.tools.some(({ mutates }) => mutates),
    limits: given.limits,
    protect: { git: !given.allowGitWrites, config: given.protectConfig },
  }
  // No program of the machine can reach a tree in memory.
  const inMemoryOptions = { ...options, ...(given.commands && hasEmulatedShell() && { shell: emulatedShell() }) }
  if (given.memory) return inMemory()
  const [first, ...rest] = given.directories
  if (given.overlay && first) return overlaid(openOverlaid([first, ...rest], inMemoryOptions))

  const { commands, sandbox, allowNetwork } = given
  const onDisk = { ...options, commands, sandbox, allowNetwork, searchWorker }
  if (first === undefined) {
    const any = anyDirectory({ ...onDisk, onChosen: tellOfFaults })
    return { workspace: any, workspaces: () => any.chosen, keep: async () => {}, close: () => any.close() }
  }
  const workspace = await openDirectories([first, ...rest], onDisk)
  tellOfFaults(workspace)
  return { workspace, workspaces: () => [workspace], keep: async () => {}, close: () => workspace.close() }

  async function inMemory(): Promise<OpenServed> {
    const { fs, skipped } =
      given.from === undefined ? { fs: memory(sampleProject), skipped: [] } : await seedFrom(given.from)
    if (skipped.length > 0) warn(`left out, because they can't be read as files: ${listed(skipped)}`)
    // The seed itself is never written, so that every fork starts the same.
    const fork = () => createWorkspace({ ...inMemoryOptions, fs: overlay(fs, memory()) })
    const workspace = given.http === undefined ? createWorkspace({ ...inMemoryOptions, fs }) : fork()
    const keep = async () => {
      if (given.save !== undefined) writeWhole(given.save, await exportZip(workspace))
    }
    return { workspace, workspaces: () => [workspace], fork, keep, close: () => void workspace.shell?.close() }
  }

  function overlaid(workspace: ReturnType<typeof openOverlaid>): OpenServed {
    const { patchOut } = given
    const keep = async () => {
      if (patchOut === undefined) return
      const { patch, omitted } = await workspace.patch()
      writeWhole(patchOut, patch)
      if (omitted.length > 0) warn(`not in ${patchOut}: ${listed(omitted.map(({ path, why }) => `${path} (${why})`))}`)
    }
    return { workspace, workspaces: () => [workspace], keep, close: () => workspace.close() }
  }

  /** What keeps changes from being kept, or from being recovered. */
  function tellOfFaults({ stateFault, ready }: DirectoryWorkspace): void {
    ready.catch((fault) => warn(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)))
    if (stateFault) warn(`no history, and no recovery after a crash: ${stateFault.message}`)
  }
}

/** Whoever reads the file meanwhile sees the old one or the new one. */
function writeWhole(file: string, bytes: Uint8Array): void {
  const unfinished = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(unfinished, bytes)
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

const mostListed = 10

function listed(names: readonly string[]): string {
  const more = names.length > mostListed ? ` and ${names.length - mostListed} more` : ''
  return names.slice(0, mostListed).join(', ') + more
}
