/** The worker's side: runs one command at a time on just-bash, over files that the shell keeps. */

import { ownCommands } from '../commands/index.js'
import type { OutputChunk, ShellState } from '../types.js'
import { bashFiles } from './bash-files.js'
import { createDevices } from './devices.js'
import { gentleRedirections } from './gentle-redirections.js'
import { Bash, type BashExecResult, getCommandNames } from './just-bash.js'
import type { Manner } from './manner.js'
import type { CommandToRun, FromWorker, ToWorker } from './messages.js'
import { fromWire, type RemoteFiles, remoteFiles } from './remote-files.js'
import { streamOutput } from './stream-output.js'
import { fromLatin1, toLatin1 } from './string-bytes.js'
import { withHints } from './unknown-command.js'

/** Sends a message to the shell; the buffers go along and are gone here. */
export type Send = (message: FromWorker, transferred?: ArrayBufferLike[]) => void

/** Time is what ends a command; the counts only keep one from filling the memory. */
const manyTimes = 1e9
const executionLimits = {
  maxCommandCount: manyTimes,
  maxLoopIterations: manyTimes,
  maxAwkIterations: manyTimes,
  maxSedIterations: manyTimes,
  maxJqIterations: manyTimes,
  maxWorkUnits: manyTimes,
  maxOutputSize: 64 << 20,
  maxStringLength: 64 << 20,
}

const reportCommand = 'polyfs-report-state'

/** What to call with each message from the shell. */
export function serveCommands(send: Send): (message: ToWorker) => void {
  const answers = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>()
  let calls = 0
  let stopper = new AbortController()

  function filesFor({ capabilities }: CommandToRun): RemoteFiles {
    return remoteFiles(capabilities, (method, given) => {
      calls += 1
      send({ kind: 'call', call: calls, method, given })
      return new Promise((resolve, reject) => answers.set(calls, { resolve, reject }))
    })
  }

  return (message) => {
    if (message.kind === 'run') {
      stopper = new AbortController()
      void run(message.run, filesFor(message.run), stopper.signal, send)
    } else if (message.kind === 'stop') stopper.abort()
    else {
      const waiting = answers.get(message.call)
      answers.delete(message.call)
      if (message.kind === 'answer') waiting?.resolve(message.value)
      else waiting?.reject(fromWire(message.error))
    }
  }
}

async function run(given: CommandToRun, files: RemoteFiles, signal: AbortSignal, send: Send): Promise<void> {
  const { command, cwd, env, stdin, timeoutMs, reportState } = given
  let left: ShellState | undefined
  const manner: Manner = { hidesLinks: 0, keepsTimes: 0 }
  const own = ownCommands(files, given.programs, manner)
  const names = [...getCommandNames(), ...own.map(({ name }) => name)].filter((name) => name !== 'sqlite3')
  const output = withHints(names, (chunk: OutputChunk) => {
    // Of its own, so that it can be handed over.
    const bytes = chunk.bytes.slice()
    send({ kind: 'output', chunk: { ...chunk, bytes } }, [bytes.buffer])
  })
  let refusal = ''
  const worded = (chunk: OutputChunk) => output(chunk.stream === 'stderr' ? withReason(chunk, refusal) : chunk)
  const known = new Set(names)
  const bash = new Bash({
    fs: bashFiles(files, {
      devices: createDevices(stdin, worded),
      isCommand: (name) => known.has(name),
      manner,
      onRefused(reason) {
        refusal = reason
      },
    }),
    cwd,
    env: { ...env },
    executionLimits: { ...executionLimits, maxExecutionTimeMs: timeoutMs },
    customCommands: [
      ...own,
      {
        name: reportCommand,
        async execute(_args, context) {
          left = { cwd: context.cwd, env: context.exportedEnv ?? {} }
          return { stdout: '', stderr: '', exitCode: Number(context.env.get('?') ?? 0) }
        },
      },
    ],
  })
  bash.registerTransformPlugin(gentleRedirections())
  bash.registerTransformPlugin(streamOutput(reportState ? reportCommand : undefined))
  send({ kind: 'begun' })
  const startMs = Date.now()
  const result = await bash
    .exec(command, { rawScript: true, stdin: toLatin1(stdin), stdinKind: 'bytes', signal })
    .catch((error: unknown): Pick<BashExecResult, 'stdout' | 'stderr' | 'exitCode'> => {
      return { stdout: '', stderr: `bash: ${error instanceof Error ? error.message : String(error)}\n`, exitCode: 126 }
    })
  // What was not a statement of the script's own shell: a syntax error, a limit, a substitution's errors.
  for (const stream of ['stdout', 'stderr'] as const) {
    if (result[stream] !== '') worded({ stream, bytes: new TextEncoder().encode(result[stream]) })
  }
  const outOfTime = Date.now() - startMs >= timeoutMs
  send({ kind: 'done', exitCode: result.exitCode, outOfTime, ...(left && !outOfTime && { left }) })
}

/** just-bash knows of programs that it has in Node only, and tells of that. */
const notInBrowsers = /command not available in browser environments\.[^\n]*/g

/** just-bash does not say why a file can't be opened; and a trace of the script does not show what we added to it. */
function withReason({ stream, bytes }: OutputChunk, reason: string): OutputChunk {
  const text = toLatin1(bytes)
  const worded = text
    .replaceAll('cannot open redirect target', reason)
    .replaceAll(`+ ${reportCommand}\n`, '')
    .replace(notInBrowsers, 'command not found')
  return worded === text ? { stream, bytes } : { stream, bytes: fromLatin1(worded) }
}
