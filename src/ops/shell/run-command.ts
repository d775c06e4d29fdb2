import * as z from 'zod'
import type { CommandChanges } from '../../change/command-watcher.js'
import { FsError } from '../../errors.js'
import type { ExecRequest, ExecResult } from '../../shell/types.js'
import type { Workspace } from '../../workspace/workspace.js'
import { operation } from '../operation.js'
import { openSession, runIn } from './sessions.js'

export type { Output } from '../../shell/types.js'

export interface RanCommand extends ExecResult {
  /** The directory it ran in. */
  cwd: string
  /** The session it ran in: where it is now, and whether it began with this command. */
  session?: { cwd: string; isNew: boolean }
  /** What it changed, where that is found by comparing the tree before and after; absent where the history records every change anyway. */
  commandChanges?: CommandChanges
}

/** A longer command is cut in the history. */
const maxLabelUnits = 200

/** Runs a command to its end. Processes that it leaves in the background continue. */
export const runCommand = operation({
  mutates: true,
  needs: 'shell',
  input: z.object({
    command: z.string(),
    /** Default: the root of the workspace. */
    cwd: z.string().exactOptional(),
    timeoutMs: z.int().min(1),
    /** Time between asking a command to end and killing it. */
    graceMs: z.int().min(0).default(0),
    /** How much of each stream is returned. */
    maxStreamBytes: z.int().min(1),
    /** Whether a command that writes more is ended, or its output dropped. */
    onOutputLimit: z.enum(['end', 'drop']).default('drop'),
    /** Errors become part of the output, in the order in which all of it was written. */
    mergeStreams: z.boolean().default(false),
    /** Keeps directory and exported variables for the next command with this name; `cwd` is where a new session begins. */
    session: z.string().exactOptional(),
  }),

  async run(input, workspace, context): Promise<RanCommand> {
    const { cwd: given, session: name, ...request } = input
    const { fs, root, shell } = workspace
    const cwd = given === undefined ? root : fs.resolve(given, root)
    const real = await directoryAt(cwd, workspace)
    if (shell === undefined) throw new FsError('UNSUPPORTED', { path: cwd, operation: 'shell' })
    const { signal } = context
    const owner = context.session?.self ?? context.session
    const own = { ...request, ...(signal && { signal }), ...(owner && { caller: owner }) }
    if (name === undefined) return { cwd, ...(await execute({ ...own, cwd: real }, workspace)) }
    const { session, isNew } = openSession(name, { workspace, owner, cwd: real })
    const exec = async (wanted: ExecRequest) => {
      const at = (await shell.scratchDirectory?.(wanted.cwd)) ?? (await directoryAt(wanted.cwd, workspace))
      return execute({ ...wanted, cwd: at }, workspace)
    }
    const ran = await runIn(session, { ...own, exec, ...(given !== undefined && { cwd: real }) })
    return { cwd, ...ran, session: { cwd: session.state.cwd, isNew } }
  },
})

/** The directory with all links followed. */
async function directoryAt(path: string, { fs }: Workspace): Promise<string> {
  const real = await fs.realPath(path)
  if ((await fs.stat(real)).kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path })
  return real
}

/** Runs a command; where the shell does not record its changes, they are found by comparing the tree before and after. */
async function execute(
  request: ExecRequest,
  { shell, internals: { commandWatcher } }: Workspace,
): Promise<ExecResult & Pick<RanCommand, 'commandChanges'>> {
  if (shell === undefined) throw new FsError('UNSUPPORTED', { path: request.cwd, operation: 'shell' })
  if (commandWatcher === undefined || shell.capabilities.recordsChanges) return shell.exec(request)
  const label = request.command.slice(0, maxLabelUnits)
  const { result, commandChanges } = await commandWatcher.watch(label, () => shell.exec(request))
  return { ...result, commandChanges }
}
