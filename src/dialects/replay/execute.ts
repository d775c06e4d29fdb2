import * as z from 'zod'
import { type Output, type RanCommand, runCommand } from '../../ops/shell/run-command.js'
import type { ToolResult } from '../../tools/dialect.js'
import { compose } from '../../tools/make-tool.js'
import { required } from './arguments.js'

const defaultSeconds = 30
const mostSeconds = 60
const maxStreamBytes = 512 * 1024

/** Unlike every other failure of this dialect, that of a command is a result with `isError`. */
export const executeCommand = compose({
  name: 'execute_command',
  title: 'Run a command',
  description: 'Run a shell command (/bin/sh -c) without input and return its output and exit code.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  mutates: runCommand.mutates,
  needs: 'shell',
  input: z.object({
    command: required('command', 'The command.'),
    workingDirectory: z.string().exactOptional().describe('Absolute path; the project directory unless given.'),
    timeout: z.number().exactOptional().catch(defaultSeconds).describe(`Seconds, ${mostSeconds} at most.`),
  }),

  async run({ command, workingDirectory, timeout = defaultSeconds }, workspace, context): Promise<ToolResult> {
    const seconds = timeout > 0 ? Math.min(timeout, mostSeconds) : defaultSeconds
    const firstWritable = workspace.fs.roots.find(({ access }) => access === 'read-write')?.path
    const ran = await workspace.run(
      runCommand,
      {
        command,
        cwd: workingDirectory ?? firstWritable ?? workspace.root,
        timeoutMs: Math.ceil(seconds * 1000),
        graceMs: 3000,
        maxStreamBytes,
      },
      context,
    )
    const stderr = show(ran.stderr)
    return {
      content: [
        { type: 'text', text: printOutput(ran) },
        ...(stderr === '' ? [] : [{ type: 'text' as const, text: `[stderr]\n${stderr}` }]),
      ],
      ...(ran.exitCode !== 0 && { isError: true }),
    }
  },
})

function printOutput({ ended, exitCode = -1, stdout }: RanCommand): string {
  const output = show(stdout) || '(no output)\n'
  const timedOut = ended === 'timeout' || ended === 'statement-limit' ? '[command timed out]\n' : ''
  return `${timedOut}${output}${output.endsWith('\n') ? '' : '\n'}[exit code: ${exitCode}]`
}

function show({ bytes, cut }: Output): string {
  return new TextDecoder().decode(bytes) + (cut ? '\n[output truncated at 512 KB]' : '')
}
