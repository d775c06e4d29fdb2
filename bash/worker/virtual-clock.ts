/**
 * The clock of a command in a workspace with a clock of its own. It starts at a given time and never looks at the
 * machine's. It moves in three ways: a reading moves it by a millisecond, so that a loop that waits for a time ends; work
 * moves it a little; and when everything in the command waits for time, it jumps to the first time that is waited for.
 *
 * It also decides who goes on. What a command waits for outside, such as an answer of the host, is finished at a time that
 * no one can repeat. So it goes on in the order in which it was asked for, one at a time, each when the others can't get
 * any further by themselves. Answers to what was asked for at once come in one message, and go on together.
 */
import type { CommandClock, Timer } from '../io/command-clock.js'

export interface VirtualClock extends CommandClock {
  /** The time in milliseconds since the epoch; moves the clock. */
  now(): number
  /** The same without moving it. */
  readonly currentMs: number
  /** Counts work that was done. */
  worked(steps: number): void
  /** As `outside`, for what comes as a message: settle it in the task of that message, at once and only there. */
  expect<Result>(): Expected<Result>
  /** Nothing goes on after this. */
  end(): void
}

export interface Expected<Result> {
  readonly promise: Promise<Result>
  /** What is settled with the same group goes on together. The first that was asked for is settled last. */
  resolve(value: Result, group?: object): void
  reject(error: unknown, group?: object): void
}

export interface VirtualClockOptions {
  startMs: number
  /** When the time is over. */
  endMs: number
  /** What whoever waits longer than that fails with. */
  outOfTime: () => Error
  /** Of the thread. */
  tasks: Tasks
}

/** What a reading of the clock takes. */
const readingMs = 1
/** About what the interpreter does in a millisecond on a busy machine. */
const stepsPerMs = 250

interface Awaited {
  isSettled: boolean
  group?: object | undefined
  goOn: () => void
}

interface Sleeper {
  dueMs: number
  wake: () => void
  fail: (error: Error) => void
}

export function virtualClock({ startMs, endMs, outOfTime, tasks }: VirtualClockOptions): VirtualClock {
  const awaited: Awaited[] = []
  /** By their times; those with the same time in the order in which they began. */
  const sleepers: Sleeper[] = []
  const later = tasks(goOn)
  let currentMs = startMs
  let steps = 0

  /** Lets one go on. What it does until it waits again is done before this is called again. */
  function goOn(): void {
    const [sleeper] = sleepers
    const [first] = awaited
    if (sleeper !== undefined && (sleeper.dueMs <= currentMs || first === undefined)) wake(sleeper)
    else if (first?.isSettled) {
      awaited.shift()
      first.goOn()
      // Those that were answered in one message always are, so they go on together wherever the command runs.
      for (let next = awaited[0]; first.group && next?.group === first.group; next = awaited[0]) {
        awaited.shift()
        next.goOn()
      }
    } else return
    // Whatever begins to wait from now on requests it when it can go on.
    if (sleepers.length > 0 || awaited[0]?.isSettled) later.request()
  }

  function wake(sleeper: Sleeper): void {
    sleepers.shift()
    if (sleeper.dueMs <= endMs) {
      currentMs = Math.max(currentMs, sleeper.dueMs)
      sleeper.wake()
    } else {
      currentMs = Math.max(currentMs, endMs)
      sleeper.fail(outOfTime())
    }
  }

  /** `next` is called when it is settled and the first of all. */
  function awaiting<Result>(next: () => void): Expected<Result> {
    const one: Awaited = { isSettled: false, goOn: () => {} }
    let [resolve, reject]: [(value: Result) => void, (error: unknown) => void] = [() => {}, () => {}]
    const promise = new Promise<Result>((...both) => {
      ;[resolve, reject] = both
    })
    const settle = (goesOn: () => void, group?: object) => {
      one.isSettled = true
      one.group = group
      one.goOn = goesOn
      if (awaited[0] === one) next()
    }
    awaited.push(one)
    return {
      promise,
      resolve: (value, group) => settle(() => resolve(value), group),
      reject: (error, group) => settle(() => reject(error), group),
    }
  }

  function outside<Result>(work: Promise<Result>): Promise<Result> {
    const expected = awaiting<Result>(later.request)
    work.then(
      (value) => expected.resolve(value),
      (error) => expected.reject(error),
    )
    return expected.promise
  }

  function timer(delayMs: number): Timer {
    const dueMs = Math.ceil(currentMs + Math.max(0, delayMs))
    let sleeper: Sleeper | undefined
    const due = new Promise<void>((resolve, reject) => {
      sleeper = { dueMs, wake: resolve, fail: reject }
      const at = sleepers.findIndex((other) => other.dueMs > dueMs)
      sleepers.splice(at === -1 ? sleepers.length : at, 0, sleeper)
    })
    // Whoever waits for it gets the failure.
    due.catch(() => {})
    later.request()
    return {
      due,
      cancel() {
        const at = sleepers.indexOf(sleeper as Sleeper)
        if (at !== -1) sleepers.splice(at, 1)
      },
    }
  }

  return {
    isVirtual: true,
    get currentMs() {
      return currentMs
    },
    now() {
      const read = currentMs
      currentMs += readingMs
      return read
    },
    elapsed: () => currentMs,
    worked(count) {
      steps += count
      if (steps < stepsPerMs) return
      currentMs += Math.floor(steps / stepsPerMs)
      steps %= stepsPerMs
    },
    timer,
    turn: () => outside(Promise.resolve()),
    outside,
    // In the task of a message nothing else goes on, unless a task was requested before.
    expect: () => awaiting(() => later.isRequested() || goOn()),
    end() {
      awaited.length = 0
      sleepers.length = 0
      later.close()
    },
  }
}

interface NextTask {
  request(): void
  isRequested(): boolean
  close(): void
}

/** Calls a function in a task of its own, when all that can go on has gone on. Only one may be open at a time. */
export type Tasks = (run: () => void) => NextTask

/** For all clocks of a thread, one after the other: to open a channel for each takes longer than all its messages. */
export function threadTasks(): Tasks {
  const { port1, port2 } = new MessageChannel()
  let opened = 0
  let onTask: (of: unknown) => void = () => {}
  port1.onmessage = ({ data }) => onTask(data)

  return (run) => {
    opened += 1
    const own = opened
    let isRequested = false
    onTask = (of) => {
      // One that was closed may have requested a task.
      if (of !== own) return
      isRequested = false
      run()
    }
    return {
      request() {
        if (isRequested) return
        isRequested = true
        port2.postMessage(own)
      },
      isRequested: () => isRequested,
      close() {
        onTask = () => {}
      },
    }
  }
}
