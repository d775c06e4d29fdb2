import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type CommandWorker, commandWorkers } from '../../bash/host/command-workers.js'

interface Counted extends CommandWorker {
  isEnded: boolean
  lose: (reason: string) => void
}

let started: Counted[]

function start(): CommandWorker {
  const worker: Counted = {
    isEnded: false,
    lose: () => {},
    post() {},
    onMessage() {},
    onLost(listener) {
      worker.lose = listener
    },
    hold() {},
    end() {
      worker.isEnded = true
      return undefined
    },
  }
  started.push(worker)
  return worker
}

/** A shell that runs some commands at once and is closed. */
async function useOnce({ name, warm, atOnce = 1 }: { name?: string; warm?: number; atOnce?: number }): Promise<void> {
  const workers = commandWorkers({ start, ...(name !== undefined && { name }) }, { warm })
  const turn = { caller: {}, patienceMs: 1000 }
  const taken = await Promise.all(Array.from({ length: atOnce }, () => workers.take(turn)))
  for (const worker of taken) workers.giveBack(worker)
  workers.rest()
}

const running = () => started.filter(({ isEnded }) => !isEnded).length

beforeEach(() => {
  vi.useFakeTimers()
  started = []
})

afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

test('a shell goes on with the worker that another one left, which ends when none comes', async () => {
  await useOnce({ name: 'a', atOnce: 3 })
  expect([started.length, running()]).toEqual([3, 1])
  await useOnce({ name: 'a' })
  expect([started.length, running()]).toEqual([3, 1])
  vi.advanceTimersByTime(29_000)
  expect(running()).toBe(1)
  vi.advanceTimersByTime(2_000)
  expect(running()).toBe(0)
  await useOnce({ name: 'a' })
  expect([started.length, running()]).toEqual([4, 1])
})

test('but not with one that was started otherwise, nor with one that is lost', async () => {
  await useOnce({ name: 'a' })
  await useOnce({ name: 'b' })
  expect([started.length, running()]).toEqual([2, 2])
  started[1]?.lose('it ended')
  await useOnce({ name: 'b' })
  expect(started.length).toBe(3)
  await useOnce({})
  expect([started.length, started[3]?.isEnded]).toEqual([4, true])
})

test('a shell that keeps workers of its own leaves none to others', async () => {
  await useOnce({ name: 'a', warm: 2 })
  await useOnce({ name: 'a' })
  expect([started.length, running()]).toEqual([2, 2])
})
