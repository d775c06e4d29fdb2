import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { fileLock } from '../../../node/locks/file-lock.js'
import { bundleChild, startChild } from '../crash/children.js'
import { makeTemporary } from '../crash/disk-engine.js'
import { leaveDeadLock } from './dead-lock.js'

const temporary = makeTemporary('polyfs-lock-')
let script: string
let lock: string
beforeAll(async () => {
  script = await bundleChild(path.join(temporary, 'bundle'))
})
beforeEach(() => {
  lock = path.join(fs.mkdtempSync(path.join(temporary, 'state-')), 'lock')
})
afterAll(() => fs.rmSync(temporary, { recursive: true }))

const namesLeft = () => fs.readdirSync(path.dirname(lock))
const numberOf = (at: string) => String(fs.lstatSync(at).ino)

/** Tries the lock many times at once, and returns how many had it at the same time. */
async function mostAtOnce(hold: (run: () => Promise<void>) => Promise<void>, count: number): Promise<number> {
  let [holding, most] = [0, 0]
  const turns = Array.from({ length: count }, () =>
    hold(async () => {
      holding += 1
      most = Math.max(most, holding)
      await new Promise(setImmediate)
      holding -= 1
    }),
  )
  await Promise.all(turns)
  return most
}

/** The disk fails, for a while. */
function failFor(name: 'unlinkSync' | 'renameSync', isBad: (entry: string) => boolean): void {
  const real = fs[name] as (...args: string[]) => void
  const spy = vi.spyOn(fs, name).mockImplementation((...args: unknown[]) => {
    if (isBad(String(args[0]))) throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO' })
    real(...(args as string[]))
  })
  onTestFinished(() => spy.mockRestore())
}

describe('a lock between processes', () => {
  test('two processes that add to one number lose nothing', async () => {
    const counter = path.join(path.dirname(lock), 'counter')
    fs.writeFileSync(counter, '0')
    const children = [1, 2].map(() => startChild(script, 'increment', lock, counter, 200))
    expect((await Promise.all(children.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0])
    expect(fs.readFileSync(counter, 'utf8')).toBe('400')
    expect(namesLeft()).toEqual(['counter'])
  })

  test.each([
    ['a file', () => fs.writeFileSync(lock, 'mine')],
    ['a directory', () => fs.mkdirSync(lock)],
    ['a link', () => fs.symlinkSync('elsewhere', lock)],
  ])('%s in its place is nobody’s lock: it stays, and the error names it', async (_what, put) => {
    put()
    const held = fileLock(lock).hold([{ path: '/a.txt' }], async () => {})
    await expect(held).rejects.toMatchObject({ code: 'BUSY', facts: { path: '/a.txt', lock } })
    expect(namesLeft()).toEqual(['lock'])
  })

  test.skipIf(process.platform !== 'linux')(
    'a link that another program puts in place of its socket leads no change of modes elsewhere',
    async () => {
      const secret = path.join(path.dirname(lock), 'secret')
      fs.writeFileSync(secret, 'mine', { mode: 0o600 })
      let links = 0
      const replace = (entry: string) => {
        if (!/lock-[0-9a-f]{24}$/.test(entry) || links > 0) return
        links += 1
        fs.rmSync(entry)
        fs.symlinkSync(secret, entry)
      }
      for (const name of ['chmodSync', 'openSync'] as const) {
        const real = fs[name] as (...args: unknown[]) => number
        const spy = vi.spyOn(fs, name).mockImplementation((...args: unknown[]) => {
          replace(String(args[0]))
          return real(...args)
        })
        onTestFinished(() => spy.mockRestore())
      }
      let isHeld = false
      await fileLock(lock).hold([{ path: '/a.txt' }], async () => {
        isHeld = true
      })
      expect([links, isHeld, fs.statSync(secret).mode & 0o777]).toEqual([1, true, 0o600])
      expect(namesLeft()).toEqual(['secret'])
    },
  )

  test('its directory is made again when someone has removed it', async () => {
    const locks = fileLock(lock)
    fs.rmSync(path.dirname(lock), { recursive: true })
    expect(await locks.hold([], async () => namesLeft())).toEqual(['lock'])
  })

  test('the failure to take it names the path that was to be changed', async () => {
    fs.rmSync(path.dirname(lock), { recursive: true })
    fs.writeFileSync(path.dirname(lock), '')
    const held = fileLock(lock).hold([{ path: '/a.txt' }], async () => {})
    await expect(held).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY', facts: { path: '/a.txt' } })
  })

  test('several holders in one process take turns', async () => {
    expect(await mostAtOnce((run) => fileLock(lock).hold([], run), 16)).toBe(1)
    expect(namesLeft()).toEqual([])
  })

  test('calls of one process get it in the order they came, even when some fail', async () => {
    const locks = fileLock(lock)
    const order: number[] = []
    const calls = Array.from({ length: 16 }, (_, index) =>
      locks.hold([], async () => {
        order.push(index)
        await new Promise(setImmediate)
        if (index % 3 === 0) throw new Error('no')
      }),
    )
    await Promise.allSettled(calls)
    expect(order).toEqual([...order.keys()])
    expect(namesLeft()).toEqual([])
  })

  test('so many calls as may hold it together do', async () => {
    const locks = fileLock(lock, { together: 5 })
    expect(await mostAtOnce((run) => locks.hold([], run), 16)).toBe(5)
    expect(namesLeft()).toEqual([])
  })

  test.each([1, 3])(
    'a process that always has more to do lets another have its turns, together: %s',
    async (together) => {
      const counter = path.join(path.dirname(lock), 'counter')
      fs.writeFileSync(counter, '0')
      const times = 10
      const child = startChild(script, 'increment', lock, counter, times)
      let [ended, turnsBetween] = [false, 0]
      const locks = fileLock(lock, { together })
      const work = async (pauseMs: number) => {
        while (!ended) {
          await locks.hold([], async () => {
            await new Promise((resolve) => setTimeout(resolve, pauseMs))
            if (Number(fs.readFileSync(counter, 'utf8')) > 0) turnsBetween += 1
          })
        }
      }
      // Never all at the same time, so that when they hold it together there is always one that does.
      const working = Promise.all([work(17), work(20), work(23)])
      expect((await child.ended).code).toBe(0)
      ended = true
      await working
      expect(turnsBetween).toBeLessThan(20 * times)
      expect(namesLeft()).toEqual(['counter'])
    },
  )

  test('is free again when what was run fails', async () => {
    await expect(fileLock(lock).hold([], () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(namesLeft()).toEqual([])
  })

  test('of a process that was killed is taken over, by one of those that wait', async () => {
    const child = startChild(script, 'hold', lock)
    await child.says(/held/)
    const most = mostAtOnce((run) => fileLock(lock).hold([], run), 8)
    child.process.kill('SIGKILL')
    await child.ended
    expect(await most).toBe(1)
    expect(namesLeft()).toEqual([])
  })

  test('of processes that are killed again and again loses nothing', async () => {
    const counter = path.join(path.dirname(lock), 'counter')
    fs.writeFileSync(counter, '0')
    const survivor = startChild(script, 'increment', lock, counter, 100)
    for (let kill = 0; kill < 15; kill += 1) {
      const holder = startChild(script, 'hold', lock)
      await holder.says(/held/)
      holder.process.kill('SIGKILL')
      await holder.ended
    }
    expect((await survivor.ended).code).toBe(0)
    expect(fs.readFileSync(counter, 'utf8')).toBe('100')
    await fileLock(lock).hold([], async () => {})
    expect(namesLeft()).toEqual(['counter'])
  })

  test('of a process that lives is waited for, and in the end given up', async () => {
    const server = net.createServer().listen(lock)
    let held = false
    const waiting = fileLock(lock, { maxWaitMs: 0 }).hold([{ path: '/a.txt' }], async () => {
      held = true
    })
    await expect(waiting).rejects.toMatchObject({ code: 'BUSY', facts: { path: '/a.txt' } })
    const patient = fileLock(lock).hold([], async () => {
      held = true
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(held).toBe(false)
    server.close()
    await patient
    expect(held).toBe(true)
  })

  test('is taken over even when those before died while taking it over', async () => {
    leaveDeadLock(lock)
    const right = `${lock}-${numberOf(lock)}`
    leaveDeadLock(right)
    leaveDeadLock(`${lock}-${numberOf(right)}`)
    expect(await mostAtOnce((run) => fileLock(lock).hold([], run), 8)).toBe(1)
    expect(namesLeft()).toEqual([])
  })

  test('is left alone while one that lives takes it over', async () => {
    leaveDeadLock(lock)
    const server = net.createServer().listen(`${lock}-${numberOf(lock)}`)
    let held = false
    const waiting = fileLock(lock).hold([], async () => {
      held = true
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(held).toBe(false)
    server.close()
    await waiting
    expect(namesLeft()).toEqual([])
  })

  test('what someone left who died before having it is removed', async () => {
    leaveDeadLock(`${lock}-${'a'.repeat(24)}`)
    await fileLock(lock).hold([], async () => {})
    expect(namesLeft()).toEqual([])
  })

  test('that can’t be removed after use is taken over by the next holder, of this process or another', async () => {
    failFor('unlinkSync', (entry) => path.basename(entry) === 'lock')
    const holders = [fileLock(lock), fileLock(lock)] as const
    let turn = 0
    const most = await mostAtOnce((run) => holders[(turn += 1) % 2 === 0 ? 0 : 1].hold([], run), 10)
    expect(most).toBe(1)
    expect(namesLeft()).toEqual(['lock'])
    const child = startChild(script, 'hold', lock)
    await child.says(/held/)
    child.process.kill('SIGKILL')
    await child.ended
    await holders[0].hold([], async () => {})
  })

  test('that can neither be removed nor replaced fails at once, and says which file it is', async () => {
    failFor('unlinkSync', (entry) => path.basename(entry) === 'lock')
    await fileLock(lock).hold([], async () => {})
    failFor('renameSync', () => true)
    const again = fileLock(lock).hold([{ path: '/a.txt' }], async () => {})
    await expect(again).rejects.toMatchObject({ code: 'BUSY', facts: { path: '/a.txt', lock } })
  })

  test('gives each holder a millisecond of its own', async () => {
    const times: number[] = []
    for (let turn = 0; turn < 20; turn += 1) await fileLock(lock).hold([], async () => void times.push(Date.now()))
    expect(new Set(times).size).toBe(20)
  })

  test('works where the path is longer than that of a socket may be', async () => {
    lock = path.join(path.dirname(lock), 'd'.repeat(200), 'lock')
    fs.mkdirSync(path.dirname(lock))
    expect(await mostAtOnce((run) => fileLock(lock).hold([], run), 4)).toBe(1)
  })
})

describe('a lock that is held after use', () => {
  const long = { idleMs: 600_000 }

  function held(options = long) {
    const locks = fileLock(lock, options)
    onTestFinished(() => locks.close())
    return locks
  }

  test('is taken once for calls that follow each other', async () => {
    const locks = held()
    const numbers = new Set<string>()
    for (let turn = 0; turn < 5; turn += 1) await locks.hold([], async () => void numbers.add(numberOf(lock)))
    expect([...numbers]).toEqual([numberOf(lock)])
  })

  test('is free at once for another process, and for another in this one', async () => {
    const locks = held()
    const other = held()
    for (let turn = 0; turn < 5; turn += 1) {
      await locks.hold([], async () => {})
      await other.hold([], async () => {})
    }
    const counter = path.join(path.dirname(lock), 'counter')
    fs.writeFileSync(counter, '0')
    expect((await startChild(script, 'increment', lock, counter, 20).ended).code).toBe(0)
    await locks.hold([], async () => expect(fs.readFileSync(counter, 'utf8')).toBe('20'))
  })

  test('has one holder at a time, and gives each a millisecond of its own', async () => {
    const times: number[] = []
    const most = await mostAtOnce((run) => held().hold([], () => run().then(() => void times.push(Date.now()))), 8)
    expect(most).toBe(1)
    expect(new Set(times).size).toBe(8)
  })

  test('is free after some time, and when it is closed', async () => {
    await held({ idleMs: 1 }).hold([], async () => {})
    await vi.waitFor(() => expect(namesLeft()).toEqual([]))
    const locks = held()
    await locks.hold([], async () => {})
    expect(namesLeft()).toEqual(['lock'])
    locks.close()
    await vi.waitFor(() => expect(namesLeft()).toEqual([]))
    await locks.hold([], async () => {})
    await vi.waitFor(() => expect(namesLeft()).toEqual([]))
  })

  test('is taken anew when someone has removed it, with its directory or without', async () => {
    const locks = held()
    for (const removed of [lock, path.dirname(lock)]) {
      await locks.hold([], async () => {})
      fs.rmSync(removed, { recursive: true })
      expect(await locks.hold([], async () => namesLeft())).toEqual(['lock'])
    }
  })

  test('is another’s when someone has removed it and another has taken it', async () => {
    const [locks, other] = [held(), held()]
    await locks.hold([], async () => {})
    fs.rmSync(lock)
    let isHeld = false
    await other.hold([], async () => {
      void locks.hold([], async () => {
        isHeld = true
      })
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(isHeld).toBe(false)
    })
    await vi.waitFor(() => expect(isHeld).toBe(true))
  })
})
