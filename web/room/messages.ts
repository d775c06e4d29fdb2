/** What the worker of a shell, the page and its frames tell each other about threads that run programs. */

/** What runs there. Each has a frame of its own. */
export type RoomName = 'node' | 'python'

/** `preparing`: the program starts for the first time in this browser, which takes seconds. `ended` also follows a failure. */
export type RoomPhase = 'loading' | 'preparing' | 'ended'

/** Connects the port of a shell's worker, until the function that it returns is called. `onPhase` is told what the first start waits for. */
export type ConnectPlace = (
  control: MessagePort,
  address: string | undefined,
  onPhase?: (phase: RoomPhase) => void,
) => () => void

/** `call` is a number of the worker's for each thread that it takes. */
export type ToPlace = { kind: 'take' | 'give back' | 'end'; call: number }

export type FromPlace =
  /** The port leads to the thread itself. */
  | { kind: 'taken'; call: number; port: MessagePort }
  | { kind: 'refused'; call: number; message: string; status: number }
  | { kind: 'lost'; call: number; reason: string }

/** `given`: for all threads, beside what they have already. */
export type ToFrame =
  | { kind: 'load'; source: string; code?: ArrayBuffer; given: object }
  | { kind: 'give'; given: object }
  | { kind: 'start' | 'end'; id: number }
  | { kind: 'ping' }
  | { kind: 'connect'; id: number; port: MessagePort }

export type FromFrame =
  | { kind: 'loaded'; isIsolated: boolean }
  | { kind: 'failed'; message: string }
  | { kind: 'lost'; id: number; reason: string }
  | { kind: 'pong' }

export type ToThread<Given> = { kind: 'given'; given: Given } | { kind: 'connect'; port: MessagePort }
