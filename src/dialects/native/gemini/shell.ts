import * as z from 'zod'
import { type RanCommand, runCommand } from '../../../ops/shell/run-command.js'
import { compose, text } from '../../../tools/make-tool.js'
import { textOfBytes } from '../bytes-text.js'

/** Captured of the output; the rest is dropped. */
const maxStreamBytes = 8 * 1024 * 1024

export const runShellCommand = compose({
  name: 'run_shell_command',
  title: 'Shell',
  description: 'Runs a command with bash -c, to its end. Returns its output, and its exit code if it fails.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  mutates: runCommand.mutates,
  needs: 'shell',
  input: z.object({
    command: z.string().describe('The command.'),
    description: z.string().exactOptional().describe('What it is for.'),
    dir_path: z.string().exactOptional().describe('The directory to run it in; the root unless given.'),
  }),

  async run({ command, dir_path }, workspace, context) {
    const { commandTimeoutMs: timeoutMs, maxOutputBytes } = workspace.limits
    const request = { command, timeoutMs, graceMs: 1000, maxStreamBytes, mergeStreams: true }
    const ran = await workspace.run(runCommand, { ...request, ...(dir_path && { cwd: dir_path }) }, context)
    const said = report(ran, { timeoutMs, maxOutputBytes })
    return ran.ended === 'exit' ? said : { ...text(said), isError: true }
  },
})

interface Limits {
  timeoutMs: number
  maxOutputBytes: number
}

function report(ran: RanCommand, { timeoutMs, maxOutputBytes }: Limits): string {
  const { ended, exitCode, signal, leavesProcesses } = ran
  const output = [ran.stdout, ran.stderr].map(({ bytes }) => textOfBytes(bytes)).join('')
  const shown = output.length > maxOutputBytes ? `${output.slice(0, maxOutputBytes)}\n... [truncated]` : output
  return [
    ended === 'timeout' &&
      `Command was automatically cancelled because it exceeded the timeout of ${timeoutMs / 60_000} minutes.`,
    `Output: ${shown || '(empty)'}`,
    ended !== 'exit' && ended !== 'timeout' && 'Error: The command was ended before it was done.',
    exitCode !== undefined && exitCode !== 0 && `Exit Code: ${exitCode}`,
    signal !== undefined && `Signal: ${signal}`,
    leavesProcesses && 'Background processes go on.',
  ]
    .filter(Boolean)
    .join('\n')
}
