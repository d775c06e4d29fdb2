import * as z from 'zod'
import type { Witnessed } from '../../change/command-watcher.js'
import { FsError } from '../../errors.js'
import type { ExecResult } from '../../shell/types.js'
import { operation } from '../operation.js'

export type { Output } from '../../shell/types.js'

export interface RanCommand extends ExecResult {
  /** The directory it ran in. */
  cwd: string
  /** What it changed, where that is found by looking before and after; absent where every change is in the history anyway. */
  witnessed?: Witnessed
}

/** Of a longer command the history tells the beginning. */
const maxLabelUnits = 200

/** Runs a command to its end. What it leaves in the background goes on. */
export const runCommand = operation({
  mutates: true,
  needs: 'shell',
  input: z.object({
    command: z.string(),
    /** The workspace root unless given. */
    cwd: z.string().exactOptional(),
    timeoutMs: z.int().min(1),
    /** Between asking a command to end and ending it. */
    graceMs: z.int().min(0).default(0),
    /** Kept of each stream. */
    maxStreamBytes: z.int().min(1),
    /** What happens to a command that writes more. */
    onTooMuch: z.enum(['end', 'drop']).default('drop'),
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
