/**
 * Supervises a wrapped command: it passes the arguments, and lets the command begin once its first process is
 * registered for clean-up.
 */
import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { endNamespace, identify, isRunning, type ProcessIdentity } from '../process-identity.js'
import { channels } from './channels.js'
import type { Wrapped } from './confined-command.js'

export interface ConfinedProcess {
  /** Ends every process inside, now or as soon as there is one. */
  end(): void
  /** After the wrapper has ended: false when it failed before starting the shell. */
  wasStarted(): Promise<boolean>
}

/** `register` calls `begin` when the command may start. */
export function superviseConfined(
  child: ChildProcess,
  wrapped: Wrapped,
  register: (first: ProcessIdentity, begin: () => void) => void,
): ConfinedProcess {
  // All are pipes, because `channelsOf` requested them; the type covers only five.
  const pipes: readonly unknown[] = child.stdio
  const status = pipes[channels.status] as Readable
  const start = pipes[channels.start] as Writable
  const args = pipes[channels.arguments] as Writable
  for (const stream of [status, start, args]) stream.on('error', () => {})
  let report = ''
  let first: ProcessIdentity | undefined
  let isOver = false
  let leave: (() => void) | undefined
  const reportEnded = new Promise((resolve) => status.once('close', resolve))

  args.end(wrapped.arguments)
  const { whenEnded } = wrapped
  if (whenEnded !== undefined) {
    const [ended, go] = [pipes[channels.ended] as Readable, pipes[channels.go] as Writable]
    for (const stream of [ended, go]) stream.on('error', () => {})
    ended.once('data', () => {
      void allEnded()
        .then(() => whenEnded(child.pid as number))
        .catch(() => {})
        .finally(() => go.end('\n'))
    })
  }
  void reportEnded.then(() => leave?.())
  status.on('data', (chunk: Buffer) => {
    report += chunk.toString('utf8')
    const pid = /"child-pid": (\d+)/.exec(report)?.[1]
    if (first !== undefined || pid === undefined) return
    first = identify(Number(pid))
    if (first === undefined) return
    leave = wrapped.admit?.(first.pid)
    if (isOver) endNamespace(first)
    else register(first, () => start.end('\n'))
  })

  /** Whatever the command has left running is ended, and waited for. */
  async function allEnded(): Promise<void> {
    if (first === undefined) return
    endNamespace(first)
    while (isRunning(first)) await sleep(1)
  }

  return {
    end() {
      isOver = true
      if (first) endNamespace(first)
    },
    async wasStarted() {
      await reportEnded
      return report.includes('"exit-code"')
    },
  }
}

/** The extra `stdio` of the wrapper: pipes, then one descriptor for each directory to mount. */
export function channelsOf(wrapped: Wrapped | undefined): ('pipe' | number)[] {
  if (wrapped === undefined) return []
  return ['pipe', 'pipe', 'pipe', ...(wrapped.whenEnded ? ['pipe' as const, 'pipe' as const] : wrapped.descriptors)]
}
