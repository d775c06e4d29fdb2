/** The worker's side: runs one command at a time on just-bash, over files that the shell keeps. */

import type { OutputChunk } from '../../types.js'
import { ownCommands } from '../commands/index.js'
import type { CommandToRun, FromWorker, ToWorker } from '../messages.js'
import { bashFiles } from './bash-files.js'
import { setBashHooks } from './bash-hooks.js'
import type { Manner } from './command-mode.js'
import { createDevices } from './devices.js'
import { Bash, type BashExecResult, getCommandNames } from './just-bash.js'
import { limitsFor } from './limits.js'
import { memoryAccount } from './memory-account.js'
import { gentleRedirections } from './redirection-errors.js'
import { fromWire, type RemoteFiles, remoteFiles } from './remote-files.js'
import { ownShell } from './script-shell.js'
import { streamOutput } from './stream-output.js'
import { fromLatin1, toLatin1 } from './string-bytes.js'
import { withHints } from './unknown-command.js'

/** Sends a message to the shell; the buffers go along and are gone here. */
export type Send = (message: FromWorker, transferred?: ArrayBufferLike[]) => void

/** Run after what a script asked for at its end, unless that ends with an `exit`. */
const endCommand = 'polyfs-end'
/** Output that the shell may not have heard of yet; a command that writes more waits. */
const maxUnheardBytes = 8 << 20

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
  const { command, cwd, env, stdin, timeoutMs, reportState, maxMemoryBytes } = given
  const shell = ownShell()
  const manner: Manner = { hidesLinks: 0, keepsTimes: 0 }
  const own = ownCommands(files, { programs: given.programs, manner, shell })
  const names = [...getCommandNames(), ...own.map(({ name }) => name)].filter((name) => name !== 'sqlite3')
  let unheardBytes = 0
  const output = withHints(names, (chunk: OutputChunk) => {
    // Of its own, so that it can be handed over.
    const bytes = chunk.bytes.slice()
    unheardBytes += bytes.length
    send({ kind: 'output', chunk: { ...chunk, bytes } }, [bytes.buffer])
  })
  let refusal = ''
  const worded = (chunk: OutputChunk) => output(chunk.stream === 'stderr' ? withReason(chunk, refusal) : chunk)
  const known = new Set(names)
  const limits = limitsFor(maxMemoryBytes)
  let cameToEnd = false
  const bash = new Bash({
    fs: bashFiles(files, {
      devices: createDevices(stdin, worded),
      isCommand: (name) => known.has(name),
      manner,
      onRefused(reason) {
        refusal = reason
      },
      afterOutput() {
        if (unheardBytes < maxUnheardBytes) return undefined
        unheardBytes = 0
        // Any answer will do: it comes after all that was sent before.
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
          cameToEnd = true
          return { stdout: '', stderr: '', exitCode: 0 }
        },
      },
    ],
  })
  let isOwn = true
  bash.registerTransformPlugin(gentleRedirections())
  bash.registerTransformPlugin(
    streamOutput(() => {
      const was = isOwn
      isOwn = false
      return was
    }),
  )
  const account = memoryAccount(maxMemoryBytes, () => {
    send({ kind: 'out-of-memory' })
    for (;;); // Whatever it did next could take more.
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
    // What was not a statement of the script's own shell: a syntax error, a limit, a substitution's errors.
    if (stdout !== '') worded({ stream: 'stdout', bytes: new TextEncoder().encode(stdout) })
    if (stderr !== '') worded({ stream: 'stderr', bytes: new TextEncoder().encode(stderr) })
    return exitCode
  }

  async function execToEnd(): Promise<number> {
    const exitCode = await exec(command)
    if (shell.exitAction === undefined || signal.aborted) return exitCode
    shell.goOn(exitCode)
    const last = await exec(`${shell.exitAction}\n${endCommand}`)
    return cameToEnd ? exitCode : last
  }

  send({ kind: 'begun' })
  const startMs = Date.now()
  const exitCode = await execToEnd()
  const outOfTime = Date.now() - startMs >= timeoutMs
  const left = reportState && !outOfTime ? shell.left() : undefined
  send({ kind: 'done', exitCode, outOfTime, ...(left && { left }) })
}

/** just-bash knows of programs that it has in Node only, and tells of that. */
const notInBrowsers = /command not available in browser environments\.[^\n]*/g

/** just-bash does not say why a file can't be opened; and a trace of the script does not show what we added to it. */
function withReason({ stream, bytes }: OutputChunk, reason: string): OutputChunk {
  const text = toLatin1(bytes)
  const worded = text
    .replaceAll('cannot open redirect target', reason)
    .replaceAll(`+ ${endCommand}\n`, '')
    .replace(notInBrowsers, 'command not found')
  return worded === text ? { stream, bytes } : { stream, bytes: fromLatin1(worded) }
}
