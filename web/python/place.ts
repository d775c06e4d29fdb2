/** Where Python runs in a page: threads in the page's frame, for all of its shells. Loaded with the first `python3`. */
import { ProgramError } from '../../bash/programs/program-error.js'
import { type PythonThread, pythonThreads } from '../../bash/programs/python/host/python-threads.js'
import type { FromPython } from '../../bash/programs/python/wire.js'
import type { ConnectPlace, RoomPhase } from '../room/messages.js'
import { refuseThreads, serveThreads, type ThreadOfFrame } from '../room/serve-threads.js'
import { placeAddress } from '../room/site-files.js'
import { openFrame, type PythonFrame } from './frame.js'
import { imageStore } from './image-store.js'

/** A thread of the frame, which the page itself can talk to as well. */
type OwnThread = PythonThread & ThreadOfFrame

type OnPhase = (phase: RoomPhase) => void
type Connect = (control: MessagePort, onPhase: OnPhase) => () => void

const folder = 'python/'
const commandMissing = 127
const places = new Map<string, Connect>()

/** `address` is that of the directory with Python's files. */
export const connectHere: ConnectPlace = (control, address, onPhase = () => {}) =>
  typeof document === 'undefined'
    ? refuseThreads(
        control,
        'needs a page: this shell was started by a worker of its own, which has no frame to confine Python in',
      )
    : pythonPlace(address)(control, onPhase)

/** By default it is `python` beside the page. */
function pythonPlace(given = folder): Connect {
  const address = placeAddress(given)
  const place = places.get(address) ?? placeAt(address)
  places.set(address, place)
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
  const threads = pythonThreads<OwnThread, PythonFrame>({
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

  async function take(): Promise<OwnThread> {
    requireSuspension()
    const image = await threads.image().finally(() => isGiven || say('ended'))
    if (!isGiven) opened?.giveImage(image)
    isGiven = true
    return threads.take()
  }

  return (control, onPhase) => {
    listeners.add(onPhase)
    const leave = serveThreads(control, { take, giveBack: threads.giveBack })
    return () => {
      listeners.delete(onPhase)
      leave()
    }
  }
}

/** The port of this page is only for making images. */
function threadOf(frame: PythonFrame, id: number): OwnThread {
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
