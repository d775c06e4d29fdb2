/** Where `node` runs in a page that is isolated from others: threads in a frame, for all shells of the page. Loaded with the first `node`. */
import { ProgramError } from '../../bash/programs/program-error.js'
import { openFrame, type RoomFrame } from '../room/frame.js'
import type { ConnectPlace } from '../room/messages.js'
import { refuseThreads, serveThreads, type ThreadOfFrame } from '../room/serve-threads.js'
import { placeAddress, siteFile } from '../room/site-files.js'
import { hindrance } from './hindrance.js'

const folder = 'node/'
const commandMissing = 127
/** More would hold memory for nothing: most scripts run one after the other. */
const maxIdle = 1
const places = new Map<string, ReturnType<typeof placeAt>>()
const advice = 'the files for the faster engine are not where this page has them: {}'

/** `given` is the address of the directory with the files. */
export const connectHere: ConnectPlace = (control, given) => {
  const isPage = typeof document !== 'undefined'
  const why = isPage ? hindrance() : 'this shell was started by a worker of its own, which has no frame'
  if (why !== undefined) return refuseThreads(control, why)
  const address = placeAddress(given ?? folder)
  const place = places.get(address) ?? placeAt(address)
  places.set(address, place)
  return serveThreads(control, place)
}

interface OwnThread extends ThreadOfFrame {
  frame: RoomFrame
}

function placeAt(address: string) {
  let opened: Promise<RoomFrame> | undefined
  let idle: OwnThread[] = []

  async function open(): Promise<RoomFrame> {
    const [source, frame] = await Promise.all(
      ['thread.js', 'frame.html'].map((name) => siteFile(new URL(name, address), advice)),
    )
    // A server may answer with a page of its own where a file is missing.
    if (!new TextDecoder().decode(frame).includes('polyfs room')) throw new ProgramError('no frame', commandMissing)
    const room = await openFrame({
      title: 'node',
      address: new URL('frame.html', address),
      source: source as ArrayBuffer,
    })
    room.onGone(() => {
      opened = undefined
      idle = []
    })
    if (room.isIsolated) return room
    room.remove()
    throw new ProgramError(
      'the frame is not isolated: it is served without Cross-Origin-Embedder-Policy',
      commandMissing,
    )
  }

  function threadOf(frame: RoomFrame): OwnThread {
    const id = frame.start()
    return {
      frame,
      connect() {
        const { port1, port2 } = new MessageChannel()
        frame.connect(id, port2)
        return port1
      },
      onLost: (listener) => frame.onLost(id, listener),
      end: () => frame.end(id),
    }
  }

  return {
    async take(): Promise<OwnThread> {
      opened ??= open()
      const frame = await opened.catch((error) => {
        opened = undefined
        throw error
      })
      return idle.pop() ?? threadOf(frame)
    },
    giveBack(thread: OwnThread): void {
      if (idle.length < maxIdle && opened !== undefined) idle = [...idle, thread]
      else thread.end()
    },
  }
}
