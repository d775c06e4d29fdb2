import * as z from 'zod'
import { type RanCommand, runCommand } from '../../ops/shell/run-command.js'
import { spillOutput } from '../../ops/shell/spill-output.js'
import { cutBytes } from '../../text/lines/lines.js'
import type { ToolResult } from '../../tools/dialect.js'
import { compose, text } from '../../tools/make-tool.js'
import type { Workspace } from '../../workspace/workspace.js'

/** Lower bound of the capture limit: a command that writes more to one stream is killed. */
const minCaptureBytes = 8 * 1024 * 1024

/** Stores output beyond the budget; git ignores it. */
const spillDirectory = '.clarvis'

export const bash = compose({
  name: 'bash',
  title: 'Run a command',
  description:
    'Run a shell command (sh -c) and return exit code, stdout and stderr. It has no input and must end; start what should go on in the background.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  mutates: runCommand.mutates,
  needs: 'shell',
  input: z.strictObject({
    command: z.string().describe('The command.'),
    cwd: z.string().exactOptional().describe('Directory to run in; the workspace root by default.'),
    timeout_ms: z.int().min(1).exactOptional().describe('Most time it may take; 120000 unless given.'),
  }),

  async run({ command, cwd, timeout_ms }, workspace, context): Promise<ToolResult> {
    const { limits } = workspace
    const timeoutMs = Math.min(timeout_ms ?? limits.commandTimeoutMs, limits.maxCommandTimeoutMs)
    const maxStreamBytes = Math.max(limits.maxOutputBytes, minCaptureBytes)
    const request = {
      command,
      timeoutMs,
      maxStreamBytes,
      onOutputLimit: 'end' as const,
      ...(cwd !== undefined && cwd !== '' && { cwd }),
    }
    const ran = await workspace.run(runCommand, request, context)
    const streams = await showStreams(ran, workspace, (name, content) =>
      workspace.run(spillOutput, { directory: spillDirectory, name, content, inTree: true }, context),
    )
    if (ran.ended === 'exit') return text(JSON.stringify(report(ran, streams)))
    return { ...text(JSON.stringify(failure(ran, { timeoutMs, maxStreamBytes }, streams))), isError: true }
  },
})

interface Streams {
  stdout: string
  stderr: string
}

function report({ exitCode, signal }: RanCommand, { stdout, stderr }: Streams) {
  const code = exitCode ?? 128 + (signalNumbers[signal ?? ''] ?? 0)
  return { exit_code: code, stdout, stderr, signal: signal ?? null, timed_out: false }
}

function failure({ ended }: RanCommand, limits: { timeoutMs: number; maxStreamBytes: number }, streams: Streams) {
  if (ended === 'timeout' || ended === 'statement-limit') {
    return {
      error: 'timeout',
      message: `Command exceeded ${limits.timeoutMs}ms`,
      timeout_ms: limits.timeoutMs,
      ...streams,
    }
  }
  if (ended === 'aborted') return { error: 'aborted', message: 'The call was cancelled.', ...streams }
  return {
    error: 'output_limit',
    message: `Command output exceeded ${limits.maxStreamBytes} bytes on a single stream and was killed`,
    max_capture_bytes: limits.maxStreamBytes,
    ...streams,
  }
}

/**
 * Both streams share one budget: half for each, and what one does not use is free for the other. Output that does not fit is stored in a
 * file.
 */
async function showStreams(
  { stdout, stderr }: RanCommand,
  { limits, now, random }: Workspace,
  store: (name: string, content: Uint8Array) => Promise<{ path: string }>,
): Promise<Streams> {
  const budget = limits.maxOutputBytes
  const half = Math.floor(budget / 2)
  const [out, err] = [stdout.bytes, stderr.bytes]
  const spill = `bash-${now()}-${randomName(random)}`

  async function show(bytes: Uint8Array, room: number, name: 'stdout' | 'stderr'): Promise<string> {
    const whole = new TextDecoder().decode(bytes)
    if (bytes.length <= room) return whole
    const head = cutBytes(whole, room)
    const shown = `output truncated: ${new TextEncoder().encode(head).length} of ${bytes.length} bytes shown`
    try {
      const { path } = await store(`${spill}.${name}.log`, bytes)
      return `${head}\n[... ${shown}; full output written to ${path} ...]`
    } catch {
      // If the output can't be stored, its beginning is still shown.
      return `${head}\n[... ${shown} ...]`
    }
  }

  return {
    stdout: await show(out, Math.max(half, budget - err.length), 'stdout'),
    stderr: await show(err, Math.max(half, budget - out.length), 'stderr'),
  }
}

function randomName(random: () => number): string {
  return Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')
}

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
}
