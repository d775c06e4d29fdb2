/** Leads a worker's request for Python to the page, from whatever worker the shell was started in. */
import type { FromPlace, PythonPhase, ToPlace } from './messages.js'

/** Connects the port of a shell's worker, until the function that it returns is called. `onPhase` is told what the first start waits for. */
export type ConnectPython = (
  control: MessagePort,
  address: string | undefined,
  onPhase?: (phase: PythonPhase) => void,
) => () => void

let outward: ConnectPython | undefined

/** In a worker, which can have no frame: passes requests on. */
export function passPythonOn(connect: ConnectPython): void {
  outward = connect
}

export const connectPython: ConnectPython = (control, address, onPhase = () => {}) => {
  if (outward !== undefined) return outward(control, address)
  if (typeof document === 'undefined') return refuse(control)
  let leave = () => control.close()
  let hasLeft = false
  void import('./place.js').then(({ pythonPlace }) => {
    if (!hasLeft) leave = pythonPlace(address)(control, onPhase)
  })
  return () => {
    hasLeft = true
    leave()
  }
}

function refuse(control: MessagePort): () => void {
  control.onmessage = ({ data }: MessageEvent<ToPlace>) => {
    const message =
      'needs a page: this shell was started by a worker of its own, which has no frame to confine Python in'
    control.postMessage({ kind: 'refused', call: data.call, message, status: 127 } satisfies FromPlace)
  }
  return () => control.close()
}
