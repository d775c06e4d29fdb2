/** Waits for what a thread tells, for as long as the command may run. */
import { ProgramError } from '../program-error.js'
import type { ProgramThread } from './program-thread.js'

/** How often it is looked whether the command has to stop. */
const lookMs = 20
const killedStatus = 137

/** Looks again and again whether the command has to stop; what `look` throws ends the wait. */
export async function whileRunning<From>(message: Promise<From>, look: () => void): Promise<From> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stopped = new Promise<never>((_, reject) => {
    const tick = () => {
      try {
        look()
        timer = setTimeout(tick, lookMs)
      } catch (error) {
        reject(error)
      }
    }
    timer = setTimeout(tick, lookMs)
  })
  try {
    return await Promise.race([message, stopped])
  } finally {
    clearTimeout(timer)
  }
}

/** What the thread tells, one after the other. Fails when it is lost. */
export function messageQueue<From>(thread: Pick<ProgramThread<never, From>, 'onMessage' | 'onLost'>): {
  next(): Promise<From>
} {
  const arrived: From[] = []
  let lost: Error | undefined
  let waiting: { resolve(message: From): void; reject(error: Error): void } | undefined
  thread.onMessage((message) => {
    if (waiting === undefined) arrived.push(message)
    else waiting.resolve(message)
    waiting = undefined
  })
  thread.onLost((reason) => {
    lost = new ProgramError(reason, killedStatus)
    waiting?.reject(lost)
    waiting = undefined
  })
  return {
    next() {
      const message = arrived.shift()
      if (message !== undefined) return Promise.resolve(message)
      if (lost !== undefined) return Promise.reject(lost)
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
      })
    },
  }
}
