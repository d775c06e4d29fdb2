/** Gives threads to the shells of a page: what arrives on the port of a shell, and what is told there. */
import { ProgramError } from '../../bash/programs/program-error.js'
import type { FromPlace, ToPlace } from './messages.js'

const commandMissing = 127

/** A thread that others can be connected to. */
export interface ThreadOfFrame {
  connect(): MessagePort
  onLost(listener: (reason: string) => void): void
  end(): void
}

export interface ThreadsGiven<Thread> {
  take(): Promise<Thread>
  giveBack(thread: Thread): void
}

/** Until the function that it returns is called. */
export function serveThreads<Thread extends ThreadOfFrame>(
  control: MessagePort,
  { take, giveBack }: ThreadsGiven<Thread>,
): () => void {
  const taken = new Map<number, Thread>()
  let hasLeft = false
  const tell = (message: FromPlace, ports: MessagePort[] = []) => control.postMessage(message, ports)

  async function takeFor(call: number): Promise<void> {
    const thread = await take()
    if (hasLeft) return giveBack(thread)
    taken.set(call, thread)
    thread.onLost((reason) => tell({ kind: 'lost', call, reason }))
    const port = thread.connect()
    tell({ kind: 'taken', call, port }, [port])
  }

  control.onmessage = ({ data: { kind, call } }: MessageEvent<ToPlace>) => {
    if (kind === 'take') {
      takeFor(call).catch((error) => {
        const status = error instanceof ProgramError ? error.status : commandMissing
        tell({ kind: 'refused', call, message: error instanceof Error ? error.message : String(error), status })
      })
      return
    }
    const thread = taken.get(call)
    taken.delete(call)
    if (thread === undefined) return
    if (kind === 'end') thread.end()
    else giveBack(thread)
  }
  return () => {
    hasLeft = true
    for (const thread of taken.values()) thread.end()
    control.close()
  }
}

/** For a shell that no page can give threads to. */
export function refuseThreads(control: MessagePort, message: string): () => void {
  control.onmessage = ({ data }: MessageEvent<ToPlace>) => {
    control.postMessage({ kind: 'refused', call: data.call, message, status: commandMissing } satisfies FromPlace)
  }
  return () => control.close()
}
