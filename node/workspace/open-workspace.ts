/** Opens the workspace that the command-line arguments describe. */
import { accessSync, constants, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { NetworkRule } from '../../src/network/rule.js'
import type { Limits } from '../../src/workspace/limits.js'
import type { Rule } from '../../src/workspace/rules.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import type { SandboxLimits } from '../shell/sandbox/limits.js'
import type { SandboxMode } from '../shell/sandbox/sandbox.js'
import { type Directory, type DirectoryWorkspace, openDirectories } from './directory-workspace.js'
import type { OverlayWorkspace } from './overlay-workspace.js'
import type { ShowProgress } from './seed.js'

/** The part of the command line that says what is served. */
export interface WorkspaceArguments {
  directories: Directory[]
  memory: boolean
  /** The database to serve a workspace of. */
  sqlite?: SqliteArguments
  /** The key-value store to serve workspaces of. */
  store?: StoreArguments
  /** The source of the initial tree in memory, in a database or in a store: a directory, a zip archive or a JSON file. */
  from?: string
  /** The zip archive to write the tree in memory to at exit. */
  save?: string
  /** Changes stay in memory; the directories are not modified. */
  overlay: boolean
  /** The file to write the changes to at exit, as a patch. */
  patchOut?: string
  readOnly: boolean
  protectConfig: boolean
  allowGitWrites: boolean
  rules: readonly Rule[]
  commands: boolean
  shellProgram?: string
  sandbox: SandboxMode
  sandboxLimits: Partial<SandboxLimits>
  allowNetwork: boolean
  /** What programs of the emulated shell, and git, may reach. */
  network?: NetworkRule
  limits: Partial<Limits>
  maxMemoryBytes?: number
}

export interface SqliteArguments {
  file: string
  workspace?: string
}

export interface StoreArguments {
  address: string
  workspace?: string
}

export interface ServedWorkspace {
  readonly workspace: Workspace
  /** All workspaces that may have changes in progress. */
  workspaces(): readonly Workspace[]
  /** Where other servers of the same directories have their state. */
  readonly stateDirectories?: readonly string[]
  /** Creates a workspace that starts like this one and shares no changes with it; absent where all clients share one. */
  fork?(): Workspace
  /** Frees a fork, or a workspace from `openNamed`, that is no longer used. */
  drop?(unused: Workspace): void
  /** Opens another workspace of the same store. */
  openNamed?(name: string): Workspace
  /** Starts what first calls need, when there is time for it. */
  prepare?(): void
  /** Writes the files of `--save` and `--patch-out`, once no change is in progress. */
  save(): Promise<void>
  /** Closes directories and ends background commands. */
  close(): void
}

export interface OpenServedOptions {
  /** The module that search threads load. */
  searchWorker: string
  /** The module that workers of the emulated shell load. */
  commandWorker: string
  /** Reports a message to the user. */
  warn: (message: string) => void
  /** False for tools that only read: they need neither a journal nor write permission. */
  canChange: boolean
  /** Each of several clients gets a tree of its own in memory. */
  shared: boolean
  onProgress?: ShowProgress
}

/** Throws an `FsError` or a `SeedError` when something can't be opened. */
export async function openServedWorkspace(
  given: WorkspaceArguments,
  { searchWorker, commandWorker, warn, canChange, shared, onProgress }: OpenServedOptions,
): Promise<ServedWorkspace> {
  const options = {
    readOnly: given.readOnly || !canChange,
    limits: given.limits,
    protect: { git: !given.allowGitWrites, config: given.protectConfig },
    ...(given.network && { network: (await import('../network/node-network.js')).nodeNetwork(given.network) }),
    ...(given.rules.length > 0 && { rules: given.rules }),
    ...(given.allowNetwork && { git: { http: (await import('../../src/git/fetch-http.js')).fetchHttp() } }),
  }
  for (const file of [given.save, given.patchOut]) if (file !== undefined) checkWritable(file)
  if (given.memory) return inMemory()
  if (given.sqlite !== undefined) return inDatabase(given.sqlite)
  if (given.store !== undefined) return inStore(given.store)
  const [first, ...rest] = given.directories
  if (given.overlay && first) {
    const { openOverlayWorkspace } = await import('./overlay-workspace.js')
    return overlaid(openOverlayWorkspace([first, ...rest], { ...options, ...(await treeShell()) }))
  }

  const { commands, sandbox, sandboxLimits, allowNetwork, shellProgram } = given
  const program = shellProgram === undefined ? {} : { shellProgram }
  const confined = { sandbox, sandboxLimits, allowNetwork }
  const onDisk = { ...options, ...program, ...confined, commands, searchWorker, hidesEnvironment: true }
  if (first === undefined) {
    const { anyDirectory } = await import('./any-directory.js')
    const opened = anyDirectory({ ...onDisk, onChosen: warnOfFaults })
    return { workspace: opened, workspaces: () => opened.chosen, save: async () => {}, close: () => opened.close() }
  }
  const workspace = await openDirectories([first, ...rest], onDisk)
  warnOfFaults(workspace)
  if (sandbox === 'auto' && workspace.shell?.capabilities.confined === false) {
    warn("commands are not confined, and may use the network: no sandbox works here ('polyfs doctor' says why)")
  }
  const { shell } = workspace
  if (given.rules.length > 0 && shell?.kind === 'real' && !shell.capabilities.confined) warn(rulesDoNotHold)
  const { stateDirectories } = workspace
  return {
    workspace,
    stateDirectories,
    workspaces: () => [workspace],
    prepare: workspace.startThreads,
    save: async () => {},
    close: () => workspace.close(),
  }

  /** The shell of a tree that is no directory: the real one where it is asked for and works, else the emulated one. */
  async function treeShell() {
    if (!given.commands) return {}
    const { sandbox: mode, sandboxLimits: limits, allowNetwork, shellProgram: program } = given
    if (mode !== 'off') {
      const { realShell } = await import('../shell/layers/real-shell.js')
      const { SandboxError } = await import('../shell/sandbox/sandbox.js')
      try {
        const shell = realShell({
          limits,
          allowNetwork,
          hidesEnvironment: true,
          ...(program !== undefined && { program }),
        })
        return { shell }
      } catch (error) {
        if (!(error instanceof SandboxError) || mode === 'require') throw error
        warn(`commands run in the emulated shell: ${error.message}`)
      }
    }
    if (!existsSync(commandWorker)) return {}
    const { emulatedShell } = await import('../shell/emulated-shell.js')
    return { shell: emulatedShell({ worker: commandWorker }) }
  }

  async function inMemory(): Promise<ServedWorkspace> {
    const { openInMemory } = await import('./memory-workspace.js')
    const { workspace, fork, drop, skipped } = await openInMemory(given.from, {
      ...options,
      ...(await treeShell()),
      shared,
      maxBytes: given.maxMemoryBytes,
      onProgress,
    })
    if (skipped.length > 0) warn(`skipped, because they can't be read as files: ${listed(skipped)}`)
    const save = async () => {
      if (given.save !== undefined) await saveZip(workspace, given.save, warn)
    }
    return { workspace, workspaces: () => [workspace], fork, drop, save, close: () => void workspace.shell?.close() }
  }

  async function inDatabase({ file, workspace: name }: SqliteArguments): Promise<ServedWorkspace> {
    const { openSqliteWorkspace } = await import('./sqlite-workspace.js')
    const served = { ...options, ...(await treeShell()), name, from: given.from, onProgress }
    const { workspace, skipped, close } = await openSqliteWorkspace(file, served)
    if (skipped.length > 0) warn(`skipped, because they can't be read as files: ${listed(skipped)}`)
    const end = () => {
      workspace.shell?.close()
      close()
    }
    return { workspace, workspaces: () => [workspace], save: async () => {}, close: end }
  }

  async function inStore({ address, workspace: name }: StoreArguments): Promise<ServedWorkspace> {
    const { openStoreWorkspaces } = await import('./store-workspace.js')
    const served = { ...options, ...(await treeShell()), name, from: given.from, onProgress }
    const { workspace, open, skipped, close } = await openStoreWorkspaces(address, served)
    if (skipped.length > 0) warn(`skipped, because they can't be read as files: ${listed(skipped)}`)
    const named = new Set<Workspace>()
    return {
      workspace,
      workspaces: () => [workspace, ...named],
      openNamed(other) {
        const opened = open(other)
        named.add(opened)
        return opened
      },
      drop: (unused) => void named.delete(unused),
      save: async () => {},
      close() {
        workspace.shell?.close()
        close()
      },
    }
  }

  function overlaid(workspace: OverlayWorkspace): ServedWorkspace {
    const { patchOut } = given
    const save = async () => {
      if (patchOut === undefined) return
      const { patch, omitted } = await workspace.patch()
      writeWhole(patchOut, patch)
      if (omitted.length > 0) warn(`not in ${patchOut}: ${listed(omitted.map(({ path, why }) => `${path} (${why})`))}`)
    }
    return { workspace, workspaces: () => [workspace], save, close: () => workspace.close() }
  }

  /** Warns of faults that prevent recording or recovering changes. */
  function warnOfFaults({ stateFault, ready }: DirectoryWorkspace): void {
    ready.catch((fault) => warn(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)))
    if (stateFault) warn(`no history, and no recovery after a crash: ${stateFault.message}`)
  }
}

const rulesDoNotHold =
  'the rules do not hold for commands, which are not confined here: use --sandbox require or --no-shell'

/** Writes a workspace of a database or a store as a .zip archive. */
export async function exportStored(
  from: SqliteArguments | StoreArguments,
  { to, warn }: { to: string; warn: (message: string) => void },
): Promise<void> {
  checkWritable(to)
  const { workspace, close } = await openToRead(from)
  try {
    await saveZip(workspace, to, warn)
  } finally {
    close()
  }
}

async function openToRead(from: SqliteArguments | StoreArguments): Promise<{ workspace: Workspace; close(): void }> {
  const options = { name: from.workspace, readOnly: true }
  if ('address' in from) return (await import('./store-workspace.js')).openStoreWorkspaces(from.address, options)
  if (!existsSync(from.file)) throw new Error(`no such file: ${from.file}`)
  return (await import('./sqlite-workspace.js')).openSqliteWorkspace(from.file, options)
}

async function saveZip(workspace: Workspace, file: string, warn: (message: string) => void): Promise<void> {
  const [{ exportZip }, { ownArchive }] = await Promise.all([
    import('../../src/ops/archive/import-export-zip.js'),
    import('./seed.js'),
  ])
  const omitted: string[] = []
  const onOmitted = (path: string) => void omitted.push(path)
  writeWhole(file, await exportZip(workspace, { limits: ownArchive, onOmitted }))
  if (omitted.length > 0) warn(`not in ${file}, which can hold no links: ${listed(omitted)}`)
}

/** Checks now that the file can be written, rather than after the work is done. */
function checkWritable(file: string): void {
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

/** Replaces the file atomically. */
function writeWhole(file: string, bytes: Uint8Array): void {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, bytes)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

const maxListed = 10

function listed(names: readonly string[]): string {
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : ''
  return names.slice(0, maxListed).join(', ') + more
}
