import { expect, test } from 'vitest'
import { isFsError } from '../../src/errors.js'
import { fairQueue } from '../../src/fair-queue.js'

const options = { what: 'searches', maxRunning: 2, maxPerCaller: 2, maxWaiting: 100 } as const

async function codeOf(turn: Promise<unknown>): Promise<string> {
  return turn.then(
    () => 'entered',
    (error) => (isFsError(error) ? `${error.code} ${JSON.stringify(error.facts)}` : String(error)),
  )
}

test('the client with the fewest running calls comes first, however many wait', async () => {
  const queue = fairQueue(options)
  const [greedy, modest] = [{}, {}]
  const order: string[] = []
  const ask = (caller: object, name: string) =>
    queue.enter({ caller }).then((leave) => {
      order.push(name)
      return leave
    })
  const first = await ask(greedy, 'greedy 1')
  await ask(greedy, 'greedy 2')
  const rest = [ask(greedy, 'greedy 3'), ask(greedy, 'greedy 4'), ask(modest, 'modest 1'), ask(modest, 'modest 2')]
  first()
  const leaveModest = await (rest[2] as Promise<() => void>)
  leaveModest()
  await rest[3]
  expect(order).toEqual(['greedy 1', 'greedy 2', 'modest 1', 'modest 2'])
})

test('one caller never gets all slots, even if it is alone', async () => {
  const queue = fairQueue({ ...options, maxPerCaller: 1 })
  const [one, other] = [{}, {}]
  await queue.enter({ caller: one })
  const waits = queue.enter({ caller: one })
  expect(queue.waiting).toBe(1)
  const leave = await queue.enter({ caller: other })
  leave()
  expect(queue.waiting).toBe(1)
  void waits
})

test('a caller that waits too long or exceeds the queue is refused; a cancelled one is skipped', async () => {
  const queue = fairQueue({ ...options, maxRunning: 1, maxWaiting: 1 })
  const leave = await queue.enter()
  expect(await codeOf(queue.enter({ patienceMs: 1 }))).toBe('OVERLOADED {"what":"searches"}')
  const controller = new AbortController()
  const aborted = codeOf(queue.enter({ signal: controller.signal }))
  expect(await codeOf(queue.enter())).toBe('OVERLOADED {"what":"searches"}')
  controller.abort()
  expect(await aborted).toBe('ABORTED {}')
  expect(await codeOf(queue.enter({ signal: controller.signal }))).toBe('ABORTED {}')
  leave()
  leave()
  expect(await codeOf(queue.enter())).toBe('entered')
  expect(queue.waiting).toBe(0)
})

test('in any order of coming, leaving and giving up, nobody is forgotten and the bounds hold', async () => {
  let state = 99
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) % below
  }
  for (let round = 0; round < 200; round += 1) {
    const bounds = { maxRunning: 1 + random(4), maxPerCaller: 1 + random(3) }
    const queue = fairQueue({ ...options, ...bounds })
    const callers = [{}, {}, {}]
    const underWay: { caller: object; leave: () => void }[] = []
    const givingUp: AbortController[] = []
    let settled = 0
    let asked = 0
    for (let step = 0; step < 60; step += 1) {
      const what = random(4)
      if (what < 2) {
        asked += 1
        const caller = callers[random(3)] as object
        const controller = new AbortController()
        givingUp.push(controller)
        queue.enter({ caller, signal: controller.signal }).then(
          (leave) => void underWay.push({ caller, leave }),
          () => void (settled += 1),
        )
      } else if (what === 2) givingUp[random(givingUp.length)]?.abort()
      else {
        const [over] = underWay.splice(random(underWay.length), 1)
        if (over) settled += 1
        over?.leave()
      }
      await Promise.resolve()
      await Promise.resolve()
      expect(underWay.length).toBeLessThanOrEqual(bounds.maxRunning)
      for (const caller of callers) {
        const own = underWay.filter((each) => each.caller === caller).length
        expect(own).toBeLessThanOrEqual(bounds.maxPerCaller)
      }
    }
    while (underWay.length > 0) {
      underWay.shift()?.leave()
      settled += 1
      await Promise.resolve()
      await Promise.resolve()
    }
    expect({ settled, waiting: queue.waiting }).toEqual({ settled: asked, waiting: 0 })
  }
})
