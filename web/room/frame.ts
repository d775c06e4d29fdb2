/** A frame that confines what runs in it: an origin of its own, no storage, no network. It gets its scripts in messages, and can load nothing by itself. */
import { ProgramError } from '../../bash/programs/program-error.js'
import type { FromFrame, ToFrame } from './messages.js'

export interface RoomFrame {
  /** Its threads can share memory with each other. */
  readonly isIsolated: boolean
  /** Returns the number of a thread. */
  start(): number
  connect(id: number, port: MessagePort): void
  end(id: number): void
  onLost(id: number, listener: (reason: string) => void): void
  /** Something that all threads begin with. */
  give(given: object): void
  /** Called when the browser has ended it, as it does when its memory runs out. */
  onGone(listener: () => void): void
  remove(): void
}

export interface FrameGiven {
  /** What runs there, for people. */
  title: string
  address: URL
  /** The script of its threads. */
  source: ArrayBuffer
  /** WebAssembly that all threads get, compiled. */
  code?: ArrayBuffer
  given?: { [name: string]: Uint8Array }
}

const commandMissing = 127
const readyMs = 30_000
/** How often it is asked whether the frame is still there, and how many times in vain: browsers do not tell when its process has ended. */
const lookMs = 1000
const maxUnanswered = 10

export async function openFrame({ title, address, source, code, given = {} }: FrameGiven): Promise<RoomFrame> {
  const { port, frame } = await frameAt(title, address)
  const lost = new Map<number, (reason: string) => void>()
  let last = 0
  const tell = (message: ToFrame, moved: Transferable[] = []) => port.postMessage(message, moved)

  let unanswered = 0
  let onGone = () => {}
  const timer = setInterval(() => {
    if (lost.size === 0) return
    unanswered += 1
    if (unanswered > maxUnanswered) leave()
    else tell({ kind: 'ping' })
  }, lookMs)

  function leave(): void {
    clearInterval(timer)
    frame.remove()
    onGone()
    for (const listener of lost.values()) listener(endedReason)
    lost.clear()
  }

  const isIsolated = await new Promise<boolean>((resolve, reject) => {
    port.onmessage = ({ data }: MessageEvent<FromFrame>) => {
      if (data.kind === 'loaded') resolve(data.isIsolated)
      else if (data.kind === 'failed')
        reject(new ProgramError(`the engine of ${title} can't be used: ${data.message}`, commandMissing))
      else if (data.kind === 'pong') unanswered = 0
      else lost.get(data.id)?.(data.reason)
    }
    const moved = Object.values(given).map(({ buffer }) => buffer as ArrayBuffer)
    const script = new TextDecoder().decode(source)
    tell({ kind: 'load', source: script, given, ...(code && { code }) }, code === undefined ? moved : [code, ...moved])
  })

  return {
    isIsolated,
    start() {
      last += 1
      tell({ kind: 'start', id: last })
      return last
    },
    connect: (id, own) => tell({ kind: 'connect', id, port: own }, [own]),
    end(id) {
      lost.delete(id)
      tell({ kind: 'end', id })
    },
    onLost: (id, listener) => void lost.set(id, listener),
    give: (more) => tell({ kind: 'give', given: more }),
    onGone(listener) {
      onGone = listener
    },
    remove: leave,
  }
}

function frameAt(title: string, address: URL): Promise<{ port: MessagePort; frame: HTMLIFrameElement }> {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  // Has an effect only where the page itself is isolated.
  frame.allow = 'cross-origin-isolated'
  frame.hidden = true
  frame.title = title
  frame.src = address.href
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(() => reject(notReady(title, address))), readyMs)
    function done(settle: () => void): void {
      clearTimeout(timer)
      removeEventListener('message', listen)
      settle()
    }
    function listen({ source, data, ports: [port] }: MessageEvent): void {
      if (source !== frame.contentWindow || data !== 'polyfs room' || port === undefined) return
      done(() => resolve({ port, frame }))
    }
    addEventListener('message', listen)
    document.body.append(frame)
  })
}

const endedReason = 'the browser ended its process, as it does when memory runs out'

function notReady(title: string, address: URL): ProgramError {
  return new ProgramError(`the frame of ${title}, ${address.href}, does not start`, commandMissing)
}
