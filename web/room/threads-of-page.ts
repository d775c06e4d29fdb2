/** Threads as the worker of a shell gets them: the page starts them in its frame, because a worker has none. */
import { ProgramError } from '../../bash/programs/program-error.js'
import type { ProgramThread, ProgramThreads } from '../../bash/programs/threads/program-thread.js'
import type { FromPlace, ToPlace } from './messages.js'

/** `control` leads to the page. */
export function threadsOfPage<To, From>(control: MessagePort): ProgramThreads<ProgramThread<To, From>> {
  type Thread = ProgramThread<To, From>
  const waiting = new Map<number, { resolve(thread: Thread): void; reject(error: Error): void }>()
  const calls = new Map<Thread, { call: number; port: MessagePort }>()
  const lost = new Map<number, (reason: string) => void>()
  let last = 0
  const tell = (message: ToPlace) => control.postMessage(message)

  function leave(thread: Thread, kind: 'give back' | 'end'): void {
    const found = calls.get(thread)
    if (found === undefined) return
    calls.delete(thread)
    lost.delete(found.call)
    found.port.close()
    tell({ kind, call: found.call })
  }

  function threadOn(port: MessagePort, call: number): Thread {
    const thread: Thread = {
      sharesMemory: false,
      post: (message) => port.postMessage(message),
      onMessage(listener) {
        port.onmessage = ({ data }: MessageEvent<From>) => listener(data)
      },
      onLost: (listener) => void lost.set(call, listener),
      end: () => leave(thread, 'end'),
    }
    calls.set(thread, { call, port })
    return thread
  }

  control.onmessage = ({ data }: MessageEvent<FromPlace>) => {
    if (data.kind === 'lost') return lost.get(data.call)?.(data.reason)
    const taken = waiting.get(data.call)
    waiting.delete(data.call)
    if (data.kind === 'taken') taken?.resolve(threadOn(data.port, data.call))
    else taken?.reject(new ProgramError(data.message, data.status))
  }

  return {
    take() {
      last += 1
      const call = last
      tell({ kind: 'take', call })
      return new Promise((resolve, reject) => waiting.set(call, { resolve, reject }))
    },
    giveBack: (thread) => leave(thread, 'give back'),
  }
}
