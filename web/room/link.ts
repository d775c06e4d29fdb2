/** Leads a worker's request for threads to the page, from whatever worker the shell was started in. Small: every page loads it. */
import type { ConnectPlace, RoomName } from './messages.js'

/** As `ConnectPlace`, for the room that is named. */
export type ConnectRoom = (name: RoomName, ...given: Parameters<ConnectPlace>) => () => void

let outward: ConnectRoom | undefined

/** In a worker, which can have no frame: passes requests on. */
export function passRoomsOn(connect: ConnectRoom): void {
  outward = connect
}

const places: Readonly<Record<RoomName, () => Promise<{ connectHere: ConnectPlace }>>> = {
  node: () => import('../node/place.js'),
  python: () => import('../python/place.js'),
}

export const connectRoom: ConnectRoom = (name, control, address, onPhase) => {
  if (outward !== undefined) return outward(name, control, address)
  // What arrives at the port meanwhile waits there.
  const leave = places[name]().then(({ connectHere }) => connectHere(control, address, onPhase))
  return () => void leave.then((run) => run())
}
