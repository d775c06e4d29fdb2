/** The worker side: runs one command at a time on just-bash; the host holds the files. */

import type { OutputChunk } from '../../types.js'
import { ownCommands } from '../commands/index.js'
import type { CommandToRun, FromWorker, ToWorker } from '../messages.js'
import { bashFiles } from './bash-files.js'
import { setBashHooks } from './bash-hooks.js'
import type { CommandMode } from './command-mode.js'
import { createDevices } from './devices.js'
import { Bash, type BashExecResult, getCommandNames } from './just-bash.js'
import { limitsFor } from './limits.js'
import { memoryAccount } from './memory-account.js'
import { recoverableRedirections } from './redirection-errors.js'
import { fromWire, type RemoteFiles, remoteFiles } from './remote-files.js'
import { scriptShell } from './script-shell.js'
import { streamOutput } from './stream-output.js'
import { fromLatin1, toLatin1 } from './string-bytes.js'
import { withHints } from './unknown-command.js'

/** Sends a message to the host; transferred buffers are no longer usable here. */
export type Send = (message: FromWorker, transferred?: ArrayBufferLike[]) => void

/** Runs after the script's `EXIT` trap, unless the trap ends with an `exit`. */
const endCommand = 'polyfs-end'
/** Unacknowledged output beyond this makes a command wait. */
const maxUnacknowledgedBytes = 8 << 20

/** Returns the handler for messages from the host. */
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
      const pending = answers.get(message.call)
      answers.delete(message.call)
      if (message.kind === 'answer') pending?.resolve(message.value)
      else pending?.reject(fromWire(message.error))
    }
  }
}

async function run(given: CommandToRun, files: RemoteFiles, signal: AbortSignal, send: Send): Promise<void> {
  const { command, cwd, env, stdin, timeoutMs, reportState, maxMemoryBytes } = given
  const shell = scriptShell()
  const mode: CommandMode = { hidesLinks: 0, keepsTimes: 0 }
  const own = ownCommands(files, { programs: given.programs, mode, shell })
  const names = [...getCommandNames(), ...own.map(({ name }) => name)].filter((name) => name !== 'sqlite3')
  let unacknowledgedBytes = 0
  const output = withHints(names, (chunk: OutputChunk) => {
    // A copy, so that its buffer can be transferred.
    const bytes = chunk.bytes.slice()
    unacknowledgedBytes += bytes.length
    send({ kind: 'output', chunk: { ...chunk, bytes } }, [bytes.buffer])
  })
  let refusal = ''
  const reworded = (chunk: OutputChunk) => output(chunk.stream === 'stderr' ? withReason(chunk, refusal) : chunk)
  const known = new Set(names)
  const limits = limitsFor(maxMemoryBytes)
  let reachedEnd = false
  const bash = new Bash({
    fs: bashFiles(files, {
      devices: createDevices(stdin, reworded),
      isCommand: (name) => known.has(name),
      mode,
      onRefused(reason) {
        refusal = reason
      },
      afterOutput() {
        if (unacknowledgedBytes < maxUnacknowledgedBytes) return undefined
        unacknowledgedBytes = 0
        // Any answer confirms that everything sent before has arrived.
        return files
          .stat('/')
          .then(() => {})
          .catch(() => {})
      },
      maxFileBytes: limits.maxStringLength,
    }),
    cwd,
    env: { ...env },
    executionLimits: { ...limits, maxExecutionTimeMs: timeoutMs },
    customCommands: [
      ...own,
      {
        name: endCommand,
        async execute() {
          reachedEnd = true
          return { stdout: '', stderr: '', exitCode: 0 }
        },
      },
    ],
  })
  let isOwn = true
  bash.registerTransformPlugin(recoverableRedirections())
  bash.registerTransformPlugin(
    streamOutput(() => {
      const was = isOwn
      isOwn = false
      return was
    }),
  )
  const account = memoryAccount(maxMemoryBytes, () => {
    send({ kind: 'out-of-memory' })
    for (;;); // Stops here, because further work could use more memory.
  })
  setBashHooks({
    ...account,
    onStatement(interpreter) {
      shell.onStatement(interpreter)
      account.onStatement(interpreter)
    },
  })

  async function exec(script: string): Promise<number> {
    isOwn = true
    const { stdout, stderr, exitCode } = await bash
      .exec(script, { rawScript: true, stdin: toLatin1(stdin), stdinKind: 'bytes', signal })
      .catch((error: unknown): Pick<BashExecResult, 'stdout' | 'stderr' | 'exitCode'> => {
        return { stdout: '', stderr: `bash: ${error instanceof Error ? error.message : error}\n`, exitCode: 126 }
      })
    // Output that did not come from a statement of the script's own shell: a syntax error, a limit, errors of a
    // substitution.
    if (stdout !== '') reworded({ stream: 'stdout', bytes: new TextEncoder().encode(stdout) })
    if (stderr !== '') reworded({ stream: 'stderr', bytes: new TextEncoder().encode(stderr) })
    return exitCode
  }

  async function execToEnd(): Promise<number> {
    const exitCode = await exec(command)
    if (shell.exitAction === undefined || signal.aborted) return exitCode
    shell.continueWith(exitCode)
    const last = await exec(`${shell.exitAction}\n${endCommand}`)
    return reachedEnd ? exitCode : last
  }

  send({ kind: 'begun' })
  const startMs = Date.now()
  const exitCode = await execToEnd()
  const outOfTime = Date.now() - startMs >= timeoutMs
  const left = reportState && !outOfTime ? shell.left() : undefined
  send({ kind: 'done', exitCode, outOfTime, ...(left && { left }) })
}

/** The message of just-bash for programs that it has only in Node. */
const notInBrowsers = /command not available in browser environments\.[^\n]*/g

/** Adds the reason a file can't be opened, which just-bash omits, and removes our additions from traces. */
function withReason({ stream, bytes }: OutputChunk, reason: string): OutputChunk {
  const text = toLatin1(bytes)
  const reworded = text
    .replaceAll('cannot open redirect target', reason)
    .replaceAll(`+ ${endCommand}\n`, '')
    .replace(notInBrowsers, 'command not found')
  return reworded === text ? { stream, bytes } : { stream, bytes: fromLatin1(reworded) }
}
