/**
 * A directory whose names are taken by processes that act step by step, in any order, and die between any two steps. Numbers go to new
 * sockets as soon as nothing has them any more, which disks do as well.
 */
import { type Found, type LockNames, take } from '../../../node/locks/lock-protocol.js'

interface Socket {
  number: number
  isListening: boolean
  names: number
  pins: number
}

interface Process {
  isHolding: boolean
  sockets: Map<string, Socket>
  pinned: Socket[]
  /** Goes on with the next step. */
  go: (() => void) | undefined
}

export interface Outcome {
  fault?: string
  steps: number
  crashes: number
  takenOver: number
}

export interface ModelOptions {
  random: () => number
  processes: number
  /** How often each wants the lock. */
  turns: number
  crashes: number
}

const lock = 'lock'

/** Runs of two to five processes with up to four deaths, each from a seed of its own. */
export async function runModels({ seed, runs }: { seed: number; runs: number }) {
  const sum = { runs: 0, steps: 0, crashes: 0, takenOver: 0, faults: [] as string[] }
  for (let run = 0; run < runs; run += 1) {
    const random = randomFrom(seed + run)
    const processes = 2 + Math.floor(random() * 4)
    const outcome = await runModel({ random, processes, turns: 2, crashes: Math.floor(random() * 5) })
    sum.runs += 1
    sum.steps += outcome.steps
    sum.crashes += outcome.crashes
    sum.takenOver += outcome.takenOver
    if (outcome.fault !== undefined) sum.faults.push(`seed ${seed + run}: ${outcome.fault}`)
  }
  return sum
}

/** Numbers from 0 up to 1 that are the same in every run. */
function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Lets them all take the lock until each is done or dead, and returns what went wrong. */
export async function runModel({ random, processes, turns, crashes }: ModelOptions): Promise<Outcome> {
  const entries = new Map<string, Socket>()
  const everything = new Set<Socket>()
  const outcome: Outcome = { steps: 0, crashes: 0, takenOver: 0 }
  let holders = 0

  function newSocket(): Socket {
    const used = new Set([...everything].map(({ number }) => number))
    let number = 1
    while (used.has(number)) number += 1
    const socket = { number, isListening: true, names: 0, pins: 0 }
    everything.add(socket)
    return socket
  }

  function forget(socket: Socket): void {
    if (socket.names === 0 && socket.pins === 0 && !socket.isListening) everything.delete(socket)
  }

  function unname(name: string): void {
    const socket = entries.get(name)
    if (socket === undefined) return
    entries.delete(name)
    socket.names -= 1
    forget(socket)
  }

  function name(name: string, socket: Socket): void {
    entries.set(name, socket)
    socket.names += 1
  }

  function namesFor(one: Process): LockNames {
    const step = () =>
      new Promise<void>((go) => {
        one.go = go
      })
    const stopListening = (socket: Socket) => {
      socket.isListening = false
      forget(socket)
    }
    return {
      async claim(wanted) {
        await step()
        if (entries.has(wanted)) return false
        const socket = newSocket()
        one.sockets.set(wanted, socket)
        await step()
        if (entries.has(wanted)) {
          one.sockets.delete(wanted)
          stopListening(socket)
          return false
        }
        name(wanted, socket)
        return true
      },
      async find(wanted) {
        await step()
        const socket = entries.get(wanted)
        if (socket === undefined) return undefined
        socket.pins += 1
        one.pinned.push(socket)
        const found: Found = {
          number: String(socket.number),
          isSocket: true,
          async ask() {
            await step()
            return socket.isListening ? 'try again' : 'dead'
          },
          close() {
            one.pinned.splice(one.pinned.indexOf(socket), 1)
            socket.pins -= 1
            forget(socket)
          },
        }
        return found
      },
      async isStill(wanted, { number }) {
        await step()
        return String(entries.get(wanted)?.number) === number
      },
      async rename(own, wanted) {
        await step()
        // Whatever has the name by now.
        const socket = entries.get(own)
        if (socket === undefined) return false
        if (wanted === lock && entries.get(lock)?.isListening) outcome.fault ??= 'a lock that is held was replaced'
        entries.delete(own)
        socket.names -= 1
        unname(wanted)
        name(wanted, socket)
        const listening = one.sockets.get(own)
        one.sockets.delete(own)
        if (listening !== undefined) one.sockets.set(wanted, listening)
        if (wanted === lock) outcome.takenOver += 1
        return true
      },
      async release(own) {
        const socket = one.sockets.get(own)
        if (socket === undefined) return
        await step()
        const isOurs = entries.get(own)?.number === socket.number
        await step()
        if (isOurs) unname(own)
        one.sockets.delete(own)
        await step()
        stopListening(socket)
      },
      async clean(base) {
        await step()
        for (const other of [...entries.keys()].filter((each) => each.startsWith(`${base}-`))) {
          await step()
          unname(other)
        }
      },
    }
  }

  async function live(one: Process): Promise<void> {
    const names = namesFor(one)
    for (let turn = 0; turn < turns; turn += 1) {
      await take(names, lock, { goOn() {} })
      one.isHolding = true
      holders += 1
      if (holders > 1) outcome.fault ??= 'two hold the lock'
      await new Promise<void>((go) => {
        one.go = go
      })
      one.isHolding = false
      holders -= 1
      await names.release(lock)
    }
  }

  function kill(one: Process): void {
    one.go = undefined
    if (one.isHolding) holders -= 1
    for (const socket of one.pinned) {
      socket.pins -= 1
      forget(socket)
    }
    for (const socket of one.sockets.values()) {
      socket.isListening = false
      forget(socket)
    }
  }

  const alive = new Set<Process>()
  for (let count = 0; count < processes; count += 1) {
    const one: Process = { isHolding: false, sockets: new Map(), pinned: [], go: undefined }
    alive.add(one)
    live(one).then(
      () => alive.delete(one),
      (error) => {
        outcome.fault ??= String(error)
        alive.delete(one)
      },
    )
  }
  while (alive.size > 0 && outcome.fault === undefined) {
    // Whatever was let go on is at its next step by then.
    await new Promise(setImmediate)
    const waiting = [...alive].filter(({ go }) => go !== undefined)
    const next = waiting[Math.floor(random() * waiting.length)]
    if (next === undefined) continue
    outcome.steps += 1
    if (outcome.steps > 20_000) outcome.fault = 'nobody gets on'
    // One is left to see that the lock can be had.
    if (outcome.crashes < crashes && alive.size > 1 && random() < 0.08) {
      outcome.crashes += 1
      kill(next)
      alive.delete(next)
      continue
    }
    const { go } = next
    next.go = undefined
    go?.()
  }
  return outcome
}
