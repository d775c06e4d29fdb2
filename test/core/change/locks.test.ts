import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nestedLocks, processLocks, type Scope } from '../../../src/change/locks/locks.js'
import { isWithin } from '../../../src/fs/path.js'

/** Something that can be let go of from outside. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

const tick = () => new Promise((resolve) => setTimeout(resolve))

/** Takes scopes one after another, and returns which are held once everyone has had a chance. */
async function heldTogether(...requests: readonly (readonly Scope[])[]): Promise<number[]> {
  const locks = processLocks()
  const { open, opened } = gate()
  const held: number[] = []
  const all = requests.map((scopes, index) =>
    locks.hold(scopes, async () => {
      held.push(index)
      await opened
    }),
  )
  await tick()
  const together = [...held]
  open()
  await Promise.all(all)
  expect(held).toHaveLength(requests.length)
  return together
}

describe('locks of a process', () => {
  test('exclude calls that need the same path, and no others', async () => {
    expect(await heldTogether([{ path: '/a' }], [{ path: '/a' }], [{ path: '/b' }])).toEqual([0, 2])
  })

  test('of a directory with everything below it exclude those of entries in it, and vice versa', async () => {
    expect(await heldTogether([{ path: '/d', tree: true }], [{ path: '/d/e/f' }], [{ path: '/d2' }])).toEqual([0, 2])
    expect(await heldTogether([{ path: '/d/e/f' }], [{ path: '/d', tree: true }], [{ path: '/x' }])).toEqual([0, 2])
  })

  test('of a directory alone do not lock its entries', async () => {
    expect(await heldTogether([{ path: '/d' }], [{ path: '/d/a' }])).toEqual([0, 1])
  })

  test('of several paths are taken together, so that there is no deadlock', async () => {
    expect(await heldTogether([{ path: '/a' }, { path: '/b' }], [{ path: '/b' }, { path: '/a' }])).toEqual([0])
  })

  test('are granted in order of request', async () => {
    // The third could start at once, and then the second might wait for ever.
    expect(await heldTogether([{ path: '/a' }], [{ path: '/a' }, { path: '/b' }], [{ path: '/b' }])).toEqual([0])
  })

  test('are released when the call fails', async () => {
    const locks = processLocks()
    await expect(locks.hold([{ path: '/a' }], () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await locks.hold([{ path: '/a' }], async () => 'yes')).toBe('yes')
  })

  test('nested, need both', async () => {
    const [outer, inner] = [processLocks(), processLocks()]
    const { open, opened } = gate()
    const order: string[] = []
    const holder = inner.hold([{ path: '/a' }], () => opened)
    const waiting = nestedLocks(outer, inner).hold([{ path: '/a' }], async () => void order.push('nested'))
    await tick()
    order.push('let go')
    open()
    await Promise.all([holder, waiting])
    expect(order).toEqual(['let go', 'nested'])
  })

  test('in any sequence, overlapping locks are never held together, equal ones are granted in order, and nobody starves', async () => {
    const path = fc.array(fc.constantFrom('a', 'b'), { maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
    const scopes = fc.array(fc.record({ path, tree: fc.boolean() }), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(fc.array(scopes, { minLength: 1, maxLength: 12 }), fc.nat(), async (requests, seed) => {
        const locks = processLocks()
        const holding = new Set<number>()
        const started: number[] = []
        await Promise.all(
          requests.map((request, index) =>
            locks.hold(request, async () => {
              for (const other of holding) expect(overlaps(requests[other] ?? [], request)).toBe(false)
              holding.add(index)
              started.push(index)
              for (let turns = (seed + index * 7) % 5; turns > 0; turns -= 1) await Promise.resolve()
              holding.delete(index)
            }),
          ),
        )
        expect([...started].sort((a, b) => a - b)).toEqual(requests.map((_, index) => index))
        for (const [position, index] of started.entries()) {
          const overtaken = started.slice(position + 1).filter((later) => later < index)
          for (const earlier of overtaken) expect(overlaps(requests[earlier] ?? [], requests[index] ?? [])).toBe(false)
        }
      }),
      { numRuns: 200 },
    )
  })
})

/** The same said differently: some path is in the reach of both. */
function overlaps(some: readonly Scope[], others: readonly Scope[]): boolean {
  const reaches = ({ path, tree }: Scope, at: string) => (tree ? isWithin(path, at) : path === at)
  return some.some((one) => others.some((other) => reaches(one, other.path) || reaches(other, one.path)))
}
