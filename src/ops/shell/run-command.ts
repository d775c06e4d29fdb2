import * as z from 'zod'
import type { CommandChanges } from '../../change/command-watcher.js'
import { FsError } from '../../errors.js'
import type { ExecResult } from '../../shell/types.js'
import { operation } from '../operation.js'

export type { Output } from '../../shell/types.js'

export interface RanCommand extends ExecResult {
  /** The directory it ran in. */
  cwd: string
  /** What it changed, where that is found by comparing the tree before and after; absent where the history records every change anyway. */
  witnessed?: CommandChanges
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
  }),

  async run({ cwd: input, ...request }, { fs, root, shell, witness }, { signal, session }): Promise<RanCommand> {
    const cwd = input === undefined ? root : fs.resolve(input, root)
    const real = await fs.realPath(cwd)
    if ((await fs.stat(real)).kind !== 'directory') throw new FsError('NOT_A_DIRECTORY', { path: cwd })
    if (shell === undefined) throw new FsError('UNSUPPORTED', { path: cwd, operation: 'shell' })
    const execute = () =>
      shell.exec({ ...request, cwd: real, ...(signal && { signal }), ...(session && { caller: session }) })
    if (witness === undefined || shell.capabilities.recordsChanges) return { cwd, ...(await execute()) }
    const { result, witnessed } = await witness.watch(request.command.slice(0, maxLabelUnits), execute)
    return { cwd, ...result, witnessed }
  },
})
