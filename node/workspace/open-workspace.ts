/** From what the command line says to the workspace that is served. */
import { accessSync, constants, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Workspace } from '../../src/workspace.js'
import type { ServeArguments } from '../cli/arguments.js'
import { type DirectoryWorkspace, openDirectories } from './directory-workspace.js'
import type { OverlaidWorkspace } from './overlay-workspace.js'

export interface OpenServed {
  readonly workspace: Workspace
  /** Every workspace that may have changes under way. */
  workspaces(): readonly Workspace[]
  /** A workspace that starts as this one did and shares no change with it; absent where all clients share one. */
  fork?(): Workspace
  /** A fork that nobody uses any more. */
  drop?(forked: Workspace): void
  /** Keeps what was to be kept, once no change is under way. */
  keep(): Promise<void>
  /** Releases directories, and ends commands left in the background. */
  close(): void
}

export interface OpenServedOptions {
  /** The module that the threads which search start from. */
  searchWorker: string
  /** The module that emulated commands start from. */
  commandWorker: string
  /** Told what the user should know. */
  warn: (message: string) => void
}

/** Throws an `FsError` or a `SeedError` for what can't be opened. */
export async function openServed(
  given: ServeArguments,
  { searchWorker, commandWorker, warn }: OpenServedOptions,
): Promise<OpenServed> {
  const options = {
    // A dialect that only reads needs neither a journal nor the right to write.
    readOnly: given.readOnly || !given.dialect.tools.some(({ mutates }) => mutates),
    limits: given.limits,
    protect: { git: !given.allowGitWrites, config: given.protectConfig },
    ...(given.allowNetwork && { http: (await import('../../src/git/fetch-http.js')).fetchHttp() }),
  }
  for (const file of [given.save, given.patchOut]) if (file !== undefined) checkPlace(file)
  if (given.memory) return inMemory()
  const [first, ...rest] = given.directories
  if (given.overlay && first) {
    const { openOverlaid } = await import('./overlay-workspace.js')
    return overlaid(openOverlaid([first, ...rest], { ...options, ...(await emulated()) }))
  }

  const { commands, sandbox, sandboxLimits, allowNetwork, shellProgram } = given
  const program = shellProgram === undefined ? {} : { shellProgram }
  const confined = { sandbox, sandboxLimits, allowNetwork }
  const onDisk = { ...options, ...program, ...confined, commands, searchWorker, hidesEnvironment: true }
  if (first === undefined) {
    const { anyDirectory } = await import('./any-directory.js')
    const any = anyDirectory({ ...onDisk, onChosen: tellOfFaults })
    return { workspace: any, workspaces: () => any.chosen, keep: async () => {}, close: () => any.close() }
  }
  const workspace = await openDirectories([first, ...rest], onDisk)
  tellOfFaults(workspace)
  return { workspace, workspaces: () => [workspace], keep: async () => {}, close: () => workspace.close() }

  /** Where changes stay in memory no real shell can see them. */
  async function emulated() {
    if (!given.commands || !existsSync(commandWorker)) return {}
    const { emulatedShell } = await import('../shell/emulated-shell.js')
    return { shell: emulatedShell({ workerFile: commandWorker }) }
  }

  async function inMemory(): Promise<OpenServed> {
    const { openInMemory } = await import('./memory-workspace.js')
    const { workspace, fork, drop, skipped } = await openInMemory(given.from, {
      ...options,
      ...(await emulated()),
      shared: given.http !== undefined,
      maxBytes: given.maxMemoryBytes,
    })
    if (skipped.length > 0) warn(`left out, because they can't be read as files: ${listed(skipped)}`)
    const keep = async () => {
      if (given.save === undefined) return
      const [{ exportZip }, { ownArchive }] = await Promise.all([
        import('../../src/ops/archive/import-export-zip.js'),
        import('./seed.js'),
      ])
      const omitted: string[] = []
      const onOmitted = (path: string) => void omitted.push(path)
      writeWhole(given.save, await exportZip(workspace, { limits: ownArchive, onOmitted }))
      if (omitted.length > 0) warn(`not in ${given.save}, which can hold no links: ${listed(omitted)}`)
    }
    return { workspace, workspaces: () => [workspace], fork, drop, keep, close: () => void workspace.shell?.close() }
  }

  function overlaid(workspace: OverlaidWorkspace): OpenServed {
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

/** That it can't be written is better known before the work than after it. */
function checkPlace(file: string): void {
  const directory = path.dirname(path.resolve(file))
  const found = statSync(directory, { throwIfNoEntry: false })
  if (!found?.isDirectory()) throw new Error(`no such directory: ${directory}`)
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${file} is a directory`)
  try {
    accessSync(directory, constants.W_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES' && (error as NodeJS.ErrnoException).code !== 'EROFS')
      throw error
    throw new Error(`no permission to write to ${directory}`)
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
