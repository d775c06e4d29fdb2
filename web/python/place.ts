/** Where Python runs in a page: threads in the page's frame, for all of its shells. Loaded with the first `python3`. */
import { ProgramError } from '../../bash/programs/program-error.js'
import { type PythonThread, pythonThreads } from '../../bash/programs/python/host/python-threads.js'
import type { FromPython } from '../../bash/programs/python/wire.js'
import { openFrame, type PythonFrame } from './frame.js'
import { imageStore } from './image-store.js'
import type { ConnectPython, FromPlace, PythonPhase, ToPlace } from './messages.js'

/** A thread that others can be connected to. */
interface ThreadOfFrame extends PythonThread {
  connect(): MessagePort
}

type OnPhase = (phase: PythonPhase) => void
type Connect = (control: MessagePort, onPhase: OnPhase) => () => void

const folder = 'python/'
const commandMissing = 127
const places = new Map<string, Connect>()

/** `address` is that of the directory with Python's files. */
export const connectHere: ConnectPython = (control, address, onPhase = () => {}) =>
  typeof document === 'undefined' ? refuse(control) : pythonPlace(address)(control, onPhase)

function refuse(control: MessagePort): () => void {
  control.onmessage = ({ data }: MessageEvent<ToPlace>) => {
    const message =
      'needs a page: this shell was started by a worker of its own, which has no frame to confine Python in'
    control.postMessage({ kind: 'refused', call: data.call, message, status: commandMissing } satisfies FromPlace)
  }
  return () => control.close()
}

/** By default it is `python` beside the page. */
function pythonPlace(address = folder): Connect {
  const { href } = new URL(address.endsWith('/') ? address : `${address}/`, document.baseURI)
  const place = places.get(href) ?? placeAt(href)
  places.set(href, place)
  return place
}

function placeAt(address: string): Connect {
  let opened: PythonFrame | undefined
  let isGiven = false
  const store = imageStore()
  const listeners = new Set<OnPhase>()
  const say: OnPhase = (phase) => {
    for (const listener of listeners) listener(phase)
  }
  const threads = pythonThreads<ThreadOfFrame, PythonFrame>({
    async load() {
      say('loading')
      opened = await openFrame(address)
      isGiven = false
      return opened
    },
    startThread: (frame) => threadOf(frame, frame.start()),
    async keptImage({ name }) {
      const kept = await store.read(name)
      if (kept === undefined) say('preparing')
      return kept
    },
    keepImage: ({ name }, image) => store.write(name, image),
  })

  async function take(): Promise<ThreadOfFrame> {
    requireSuspension()
    const image = await threads.image().finally(() => isGiven || say('ended'))
    if (!isGiven) opened?.giveImage(image)
    isGiven = true
    return threads.take()
  }

  return (control, onPhase) => {
    listeners.add(onPhase)
    const taken = new Map<number, ThreadOfFrame>()
    let hasLeft = false
    const tell = (message: FromPlace, ports: MessagePort[] = []) => control.postMessage(message, ports)

    async function takeFor(call: number): Promise<void> {
      const thread = await take()
      if (hasLeft) return threads.giveBack(thread)
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
      else threads.giveBack(thread)
    }
    return () => {
      hasLeft = true
      listeners.delete(onPhase)
      for (const thread of taken.values()) thread.end()
      control.close()
    }
  }
}

/** The port of this page is only for making images. */
function threadOf(frame: PythonFrame, id: number): ThreadOfFrame {
  let own: MessagePort | undefined
  function connect(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    frame.connect(id, port2)
    return port1
  }
  function ownPort(): MessagePort {
    own ??= connect()
    return own
  }
  return {
    sharesMemory: false,
    connect,
    post: (message) => ownPort().postMessage(message),
    onMessage(listener) {
      ownPort().onmessage = ({ data }: MessageEvent<FromPython>) => listener(data)
    },
    onLost: (listener) => frame.onLost(id, listener),
    end: () => frame.end(id),
  }
}

/** An engine that waits for an answer has to be suspended: nothing else works in pages as they are served. */
function requireSuspension(): void {
  if ('Suspending' in WebAssembly) return
  throw new ProgramError(
    'Python needs a browser that can suspend WebAssembly (JSPI), as Chrome and Edge can from version 137',
    commandMissing,
  )
}
