/** The files of one command: the workspace under an overlay that holds its writes until it ends, and scratch space. */
import type { Changes } from '../../src/change/changes.js'
import { FsError, isFsError } from '../../src/errors.js'
import { limitBytes, roomFor } from '../../src/fs/backends/limit-bytes.js'
import { memory } from '../../src/fs/backends/memory.js'
import { overlay } from '../../src/fs/backends/overlay.js'
import { type ConfinedFileSystem, confine } from '../../src/fs/gate/confine.js'
import { dirname, isWithin, join } from '../../src/fs/path.js'
import { isPromise } from '../../src/fs/sync.js'
import type { Bytes, FileSystem, WriteOptions } from '../../src/fs/types.js'
import type { Network } from '../../src/network/types.js'
import type { FileStart, WantedStart } from '../io/command-tree.js'
import { exists } from '../io/exists.js'
import type { CalledProgram, HostProgram, HostPrograms, UserGitSettings } from '../io/host-programs.js'
import { homeInScratch } from '../worker/environment.js'
import type { FileAnswer, PackedAnswers } from '../worker/messages.js'
import { packed } from '../worker/packed-answers.js'
import { toWire } from '../worker/remote-files.js'
import { besideScratch } from './beside-scratch.js'
import { changeableUntil } from './changeable-until.js'
import { type CommittedCommand, commitChanges } from './commit-changes.js'
import { firstSeen } from './first-seen.js'
import { notedChanges } from './noted-changes.js'
import { operationPrograms } from './operation-programs.js'
import { operationProgram } from './run-host-program.js'

/** The parts of a workspace that commands need. */
export interface CommandWorkspace {
  readonly fs: ConfinedFileSystem
  readonly changes: Changes
  readonly now: () => number
  readonly random: () => number
  readonly git: UserGitSettings
  readonly network?: Network
  readonly internals: {
    /** Called with the time of a command that has moved on, in a workspace with a virtual clock. */
    readonly moveClock?: (nowMs: number) => void
    /** For temporary files; by default the shell has a place of its own. */
    readonly scratch?: () => FileSystem
  }
}

export interface CommandFiles {
  /** Follows links inside the roots only. A write that is not permitted fails immediately. */
  readonly fs: ConfinedFileSystem & {
    /** Creates the file where there is none. */
    append(path: string, data: Bytes): Promise<void>
    /** The stat, and of a file the first bytes. */
    readStart(path: string, length: number): FileStart | Promise<FileStart>
    /**
     * The same of many entries of a directory, given by their names with a slash between them. What does not fit in an answer is left out of
     * the end of it.
     */
    readStarts(directory: string, names: string, wanted: WantedStart): Promise<PackedAnswers>
  }
  /** Where scratch space is, when scripts call it otherwise. */
  readonly scratch?: string
  /** A directory of scratch space. Undefined when there is none: then nothing of the workspace may take its place. */
  readonly home?: string
  /** All programs of the host, on these files. */
  readonly programs: Readonly<Record<string, CalledProgram>>
  /** Sets the clock of these files, and of the programs that the host runs. Until then it is that of the workspace. */
  setTime(nowMs: number | undefined): void
  /** Commits the changes. From then on nothing more can be changed; called again, it returns the same. */
  commit(label: string): Promise<CommittedCommand>
}

/** About what one answer takes. */
const mostAnsweredBytes = 4 << 20
/** Files that are read at the same time, where that takes time. */
const mostAtOnce = 16

export interface CommandFilesOptions {
  /** Shared by all commands of a shell. */
  scratch: FileSystem
  /** Where scratch space is mounted: a path that the workspace does not have. */
  scratchPoint: string
  /** What scripts call that place. */
  shownPoint: string
  /** Programs that the host adds. */
  programs: HostPrograms
  /** Limit for the bytes a command has written and not removed again. */
  maxBytes: number
  /** Called when the time of the command is set. */
  onTime?: (nowMs: number | undefined) => void
}

export async function commandFiles(
  workspace: CommandWorkspace,
  { scratch, scratchPoint, shownPoint, programs, maxBytes, onTime }: CommandFilesOptions,
): Promise<CommandFiles> {
  const { fs: gate, changes, now: workspaceNow, random } = workspace
  const { ignoreRules, defaults } = workspace.git
  const git = { ...(ignoreRules !== undefined && { ignoreRules }), ...(defaults && { defaults }) }
  let timeMs: number | undefined
  const now = () => timeMs ?? workspaceNow()
  const hasScratch = !(await exists(gate, scratchPoint))
  if (hasScratch) await makeHome(scratch)
  const elsewhere = hasScratch && scratchPoint !== shownPoint ? { scratch: scratchPoint } : {}
  // The program git reads objects, and shows of them what rules allow; to others the view below does not show them.
  const found = firstSeen(gate.forObjects)
  const rules = gate.areRuled ? { decide: gate.forObjects.decide, limitsReading: gate.limitsReading } : undefined
  const written = limitBytes(memory({}, { now }), roomFor(maxBytes))
  /** What the command has changed, and nothing else: its own, and taken once. */
  const layer = overlay(found.fs, written)
  let taken: Promise<CommittedCommand> | undefined
  const beside = hasScratch ? besideScratch(layer, { point: scratchPoint, scratch, isScratch }) : layer
  const { files, isTouched } = notedChanges(
    changeableUntil(beside, () => taken !== undefined),
    gate.comparable,
  )

  function isScratch(path: string): boolean {
    if (!hasScratch || !isWithin(scratchPoint, path)) return false
    if (gate.roots.some((root) => root.path !== '/' && isWithin(root.path, path))) return false
    // The directories on the way to a root are those of the workspace.
    return path === scratchPoint || !gate.isRoot(path)
  }

  function requireWritable(path: string): void {
    if (!isScratch(path)) gate.authorize(path, 'write')
  }

  function requireRemovable(path: string): void {
    requireWritable(path)
    if (gate.isRoot(path)) throw new FsError('IS_ROOT', { path })
  }

  /** What the command has not changed is found faster without its layer. */
  function begun(path: string, wanted: WantedStart): FileStart | Promise<FileStart> {
    // The rules are those of the view.
    if (isScratch(path) || isTouched(path) || rules !== undefined) return startIn(view, path, wanted)
    return found.startSync(path, wanted) ?? begunLater(path, wanted)
  }

  async function begunLater(path: string, wanted: WantedStart): Promise<FileStart> {
    return (await startIn(found.fs, path, wanted).catch(isNoFile)) ?? startIn(view, path, wanted)
  }

  /** Checks paths that contain no links: below this layer no link is followed. */
  const guarded: FileSystem = {
    ...files,
    async writeFile(path: string, data: Bytes, options?: WriteOptions) {
      requireWritable(path)
      await files.writeFile(path, data, options)
    },
    async makeDir(path) {
      requireWritable(path)
      await files.makeDir(path)
    },
    async remove(path) {
      requireRemovable(path)
      await files.remove(path)
    },
    async rename(from, to) {
      requireRemovable(from)
      requireRemovable(to)
      await files.rename(from, to)
    },
    ...(files.symlink && {
      async symlink(target: string, path: string) {
        requireWritable(path)
        if (!isScratch(path)) gate.resolve(target, dirname(path))
        await files.symlink?.(target, path)
      },
    }),
    ...(files.setMode && {
      async setMode(path: string, mode: number) {
        requireWritable(path)
        await files.setMode?.(path, mode)
      },
    }),
    ...(files.setModified && {
      async setModified(path: string, modifiedMs: number) {
        requireWritable(path)
        await files.setModified?.(path, modifiedMs)
      },
    }),
  }

  // The workspace's permissions and protected names are checked above; this gate follows links, and holds the rules for scratch space too.
  const view = confine(guarded, {
    roots: [{ path: '/', access: 'read-write' }],
    protect: { git: false },
    ...(rules && { rules }),
  })
  // Programs find the home directory outside the roots too.
  const roots: typeof gate.roots =
    hasScratch && !gate.roots.some(({ path }) => isWithin(path, scratchPoint))
      ? [...gate.roots, { path: scratchPoint, access: 'read-write' }]
      : gate.roots
  return {
    ...(hasScratch && { home: shownPoint + homeInScratch }),
    ...elsewhere,
    programs: {
      ...mapValues(
        operationPrograms,
        (run): CalledProgram =>
          operationProgram(run, { fs: files, roots, now, random, git, ...elsewhere, ...(rules && { rules }) }),
      ),
      ...mapValues(
        programs,
        (run): HostProgram =>
          (args, io) =>
            run(args, { ...io, fs: view }),
      ),
    },
    fs: {
      ...view,
      readStart: (path, length) => begun(path, { length }),
      async readStarts(directory, names, wanted) {
        const paths = names.split('/').map((name) => join(directory, name))
        const answers: FileAnswer[] = []
        let bytes = 0
        while (answers.length < paths.length && bytes < mostAnsweredBytes) {
          const group = paths.slice(answers.length, answers.length + mostAtOnce).map((path) => begun(path, wanted))
          const starts = group.map((start) => (isPromise(start) ? start.catch(toWire) : start))
          for (const start of starts.some(isPromise) ? await Promise.all(starts) : (starts as FileStart[])) {
            const call = answers.length
            if ('stat' in start) bytes += start.bytes?.length ?? 0
            answers.push('stat' in start ? { call, value: start } : { call, error: start })
          }
        }
        return packed(answers)
      },
      append: async (path, data) => {
        const before = await bytesIfThere(view, path)
        if (before !== undefined && data.length === 0) requireWritable(await view.realPath(path))
        else await view.writeFile(path, before === undefined ? data : joined(before, data))
      },
    },
    setTime(nowMs) {
      timeMs = nowMs
      onTime?.(nowMs)
    },
    commit(label) {
      found.stop()
      const belongs = (path: string) => gate.roots.some((root) => isWithin(root.path, path))
      taken ??= commitChanges({ changes, label, files: layer, seen: found.seen, belongs })
      return taken
    },
  }
}

/** Another command may make it at the same time, or have removed it. */
async function makeHome(scratch: FileSystem): Promise<void> {
  if (await exists(scratch, homeInScratch)) return
  try {
    await scratch.makeDir(homeInScratch)
  } catch (error) {
    if (!isFsError(error, 'EXISTS')) throw error
  }
}

async function startIn(fs: FileSystem, path: string, { length, maxSize = Infinity }: WantedStart): Promise<FileStart> {
  const stat = await fs.stat(path)
  if (stat.kind !== 'file' || length === 0 || (stat.size ?? 0) > maxSize) return { stat }
  const bytes = await fs.readFile(path, { start: 0, end: length })
  return { stat, bytes }
}

/** Where a link leads, and what is missing, is found out with the layer. */
function isNoFile(error: unknown): undefined {
  if (!isFsError(error)) throw error
}

async function bytesIfThere(fs: FileSystem, path: string): Promise<Bytes | undefined> {
  try {
    return await fs.readFile(path)
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

function joined(before: Bytes, after: Bytes): Bytes {
  const both = new Uint8Array(before.length + after.length)
  both.set(before)
  both.set(after, before.length)
  return both
}

function mapValues<Given, Result>(record: Readonly<Record<string, Given>>, change: (value: Given) => Result) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
