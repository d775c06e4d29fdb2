/** A wrapped command from its start: it gets its arguments, and begins once its first process is known to those who may have to end it. */
import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { endNamespace, identify, type ProcessIdentity } from '../process-identity.js'
import { channels } from './channels.js'
import type { Wrapped } from './sandbox.js'

export interface ConfinedProcess {
  /** Ends every process inside, now or as soon as there is one. */
  end(): void
  /** Once the wrapper has ended: false when it failed before it started the shell. */
  wasStarted(): Promise<boolean>
}

/** `register` calls back when the command may begin. */
export function superviseConfined(
  child: ChildProcess,
  wrapped: Wrapped,
  register: (first: ProcessIdentity, begin: () => void) => void,
): ConfinedProcess {
  // Pipes, all of them, because that is how it was started; the type knows of five channels only.
  const pipes: readonly unknown[] = child.stdio
  const status = pipes[channels.status] as Readable
  const start = pipes[channels.start] as Writable
  const args = pipes[channels.arguments] as Writable
  for (const stream of [status, start, args]) stream.on('error', () => {})
  let told = ''
  let first: ProcessIdentity | undefined
  let isOver = false
  const allTold = new Promise((resolve) => status.once('close', resolve))

  args.end(wrapped.arguments)
  status.on('data', (chunk: Buffer) => {
    told += chunk.toString('utf8')
    const pid = /"child-pid": (\d+)/.exec(told)?.[1]
    if (first !== undefined || pid === undefined) return
    first = identify(Number(pid))
    if (first === undefined) return
    if (isOver) endNamespace(first)
    else register(first, () => start.end('\n'))
  })

  return {
    end() {
      isOver = true
      if (first) endNamespace(first)
    },
    async wasStarted() {
      await allTold
      return told.includes('"exit-code"')
    },
  }
}

/** How to start it: all that is not a pipe is a directory to be mounted. */
export function channelsOf(wrapped: Wrapped | undefined): ('pipe' | number)[] {
  return wrapped ? ['pipe', 'pipe', 'pipe', ...wrapped.descriptors] : []
}
