/** Leads a worker's request for Python to the page, from whatever worker the shell was started in. Small: every page loads it. */
import type { ConnectPython } from './messages.js'

let outward: ConnectPython | undefined

/** In a worker, which can have no frame: passes requests on. */
export function passPythonOn(connect: ConnectPython): void {
  outward = connect
}

export const connectPython: ConnectPython = (control, address, onPhase) => {
  if (outward !== undefined) return outward(control, address)
  // What arrives at the port meanwhile waits there.
  const leave = import('./place.js').then(({ connectHere }) => connectHere(control, address, onPhase))
  return () => void leave.then((run) => run())
}
