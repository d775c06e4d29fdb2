/** What the worker of a shell and the page, and the page and the frame of Python, tell each other. */
import type { PythonImage, PythonThreadGiven } from '../../bash/programs/python/wire.js'

/** `preparing`: the interpreter starts for the first time in this browser, which takes seconds. `ended` also follows a failure. */
export type PythonPhase = 'loading' | 'preparing' | 'ended'

/** Connects the port of a shell's worker, until the function that it returns is called. `onPhase` is told what the first start waits for. */
export type ConnectPython = (
  control: MessagePort,
  address: string | undefined,
  onPhase?: (phase: PythonPhase) => void,
) => () => void

/** `call` is a number of the worker's for each thread that it takes. */
export type ToPlace = { kind: 'take' | 'give back' | 'end'; call: number }

export type FromPlace =
  /** The port leads to the thread itself. */
  | { kind: 'taken'; call: number; port: MessagePort }
  | { kind: 'refused'; call: number; message: string; status: number }
  | { kind: 'lost'; call: number; reason: string }

export type ToFrame =
  | { kind: 'load'; source: string; code: ArrayBuffer; library: Uint8Array }
  | { kind: 'image'; image: PythonImage }
  | { kind: 'start' | 'end'; id: number }
  | { kind: 'connect'; id: number; port: MessagePort }

export type FromFrame =
  | { kind: 'loaded' }
  | { kind: 'failed'; message: string }
  | { kind: 'lost'; id: number; reason: string }

export type ToThread = { kind: 'given'; given: PythonThreadGiven } | { kind: 'connect'; port: MessagePort }
