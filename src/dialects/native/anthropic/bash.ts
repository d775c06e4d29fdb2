import * as z from 'zod'
import type { StateKind } from '../../../call-memory.js'
import { type RanCommand, runCommand } from '../../../ops/shell/run-command.js'
import { compose, text } from '../../../tools/make-tool.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { textOfBytes } from '../bytes-text.js'
import { refuse } from '../wording.js'

/** How often the session was restarted: each restart begins a new one. */
const restartsOf: StateKind<{ count: number }, Workspace> = {
  create: () => ({ count: 0 }),
  copy: ({ count }) => ({ count }),
}

/** Captured of the output; the rest is dropped. */
const maxStreamBytes = 8 * 1024 * 1024

/** Anthropic's `bash_20250124`: directory and variables stay from one command to the next. */
export const bash = compose({
  name: 'bash',
  title: 'Bash',
  description: 'Run a command in a bash session that keeps its directory and variables.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  mutates: runCommand.mutates,
  needs: 'shell',
  input: z.object({
    command: z.string().exactOptional().describe('The command to run. Required unless the tool is restarted.'),
    restart: z.boolean().exactOptional().describe('Begin a new session.'),
  }),

  async run({ command, restart = false }, workspace, context) {
    const owner = context.session?.self ?? context.session
    const restarts = workspace.internals.callMemory.of(restartsOf, workspace, owner)
    if (restart) {
      restarts.count++
      return 'tool has been restarted.'
    }
    if (command === undefined) throw refuse('no command provided.')
    const { commandTimeoutMs: timeoutMs, maxOutputBytes } = workspace.limits
    const request = { command, timeoutMs, graceMs: 1000, maxStreamBytes, mergeStreams: true }
    const ran = await workspace.run(runCommand, { ...request, session: `bash-${restarts.count}` }, context)
    const output = truncated(outputOf(ran), maxOutputBytes)
    const fault = faultOf(ran, timeoutMs)
    if (fault === undefined) return output
    return { ...text([output, fault].filter(Boolean).join('\n')), isError: true }
  },
})

function outputOf({ stdout, stderr }: RanCommand): string {
  return [stdout, stderr]
    .map(({ bytes }) => textOfBytes(bytes).replace(/\n$/, ''))
    .filter(Boolean)
    .join('\n')
}

/** Why the command failed, where its own output does not have to say so. */
function faultOf({ ended, exitCode, signal }: RanCommand, timeoutMs: number): string | undefined {
  if (ended === 'timeout') return `Error: Command timed out after ${timeoutMs / 1000} seconds`
  if (ended === 'aborted') return 'Error: The command was cancelled.'
  if (ended !== 'exit') return 'Error: The command was ended because it wrote or ran too much.'
  if (signal !== undefined) return `Error: The command was ended by ${signal}.`
  return exitCode === 0 ? undefined : `Exit code: ${exitCode}`
}

/** The first lines, and how many there are. */
function truncated(output: string, most: number): string {
  if (output.length <= most) return output
  const shown = output.slice(0, Math.max(0, output.lastIndexOf('\n', most)) || most)
  return `${shown}\n\n... Output truncated (${output.split('\n').length} total lines) ...`
}
