import * as z from 'zod'
import { type RanCommand, runCommand } from '../../../ops/shell/run-command.js'
import { compose } from '../../../tools/make-tool.js'
import { textOfBytes } from '../bytes-text.js'

/** What a command printed, and how it ended, in the form of `shell_call_output`. */
export interface ShellCallOutput {
  stdout: string
  stderr: string
  outcome: { type: 'exit'; exit_code: number } | { type: 'timeout' }
}

/** Captured of each stream; the rest is dropped. */
const maxStreamBytes = 8 * 1024 * 1024

/** OpenAI's `shell`: commands, each in a shell of its own, one after the other. */
export const shell = compose({
  name: 'shell',
  title: 'Shell',
  description: 'Run shell commands in the workspace. Returns a list with stdout, stderr and outcome of each.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  mutates: runCommand.mutates,
  needs: 'shell',
  input: z.object({
    commands: z.array(z.string()).min(1).describe('The commands.'),
    timeout_ms: z.int().min(1).nullish().describe('Most time for each command.'),
    max_output_length: z.int().min(0).nullish().describe('Most characters of output for each command.'),
  }),

  async run({ commands, timeout_ms, max_output_length }, workspace, context) {
    const { commandTimeoutMs, maxCommandTimeoutMs, maxOutputBytes } = workspace.limits
    const timeoutMs = Math.min(timeout_ms ?? commandTimeoutMs, maxCommandTimeoutMs)
    const output: ShellCallOutput[] = []
    for (const command of commands) {
      const ran = await workspace.run(runCommand, { command, timeoutMs, graceMs: 1000, maxStreamBytes }, context)
      output.push(outputOf(ran, max_output_length ?? maxOutputBytes))
      if (ran.ended === 'aborted') break
    }
    return JSON.stringify(output)
  },
})

function outputOf({ stdout, stderr, ended, exitCode }: RanCommand, most: number): ShellCallOutput {
  const [out, err] = [textOfBytes(stdout.bytes), textOfBytes(stderr.bytes)]
  // Each stream has half of the room, and what the other does not use.
  const half = Math.floor(most / 2)
  return {
    stdout: shortened(out, Math.max(half, most - err.length)),
    stderr: shortened(err, Math.max(half, most - out.length)),
    outcome: ended === 'timeout' ? { type: 'timeout' } : { type: 'exit', exit_code: exitCode ?? killed },
  }
}

/** What a shell reports for a command that was killed. */
const killed = 137

/** The beginning and the end. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(text.length - half)}`
}
