/** How a command waits: for time, for its turn, and for what happens outside of it. */

export interface CommandClock {
  /** Time passes only when nothing else can be done, so that runs can be repeated. */
  readonly isVirtual: boolean
  /** Milliseconds since some moment, for durations. */
  elapsed(): number
  timer(delayMs: number): Timer
  /** Lets commands that run beside have a turn. */
  turn(): Promise<void>
  /**
   * Waits for what the platform does at its own speed, such as loading a module. On a virtual clock such work is
   * finished in the order in which it was begun. The work itself must not wait for anything of the command.
   */
  outside<Result>(work: Promise<Result>): Promise<Result>
}

export interface Timer {
  readonly due: Promise<void>
  /** From now on nothing waits for it. */
  cancel(): void
}

const longestDelayMs = 2 ** 31 - 1

/** The clock of the machine. */
export const machineClock: CommandClock = {
  isVirtual: false,
  elapsed: () => performance.now(),
  timer(delayMs) {
    let handle: unknown
    const due = new Promise<void>((resolve) => {
      if (Number.isFinite(delayMs)) handle = setTimeout(resolve, Math.min(Math.max(0, delayMs), longestDelayMs))
    })
    return { due, cancel: () => clearTimeout(handle) }
  },
  turn: () => new Promise((resolve) => setTimeout(resolve, 0)),
  outside: (work) => work,
}
