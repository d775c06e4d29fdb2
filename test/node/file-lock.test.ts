import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fileLock } from '../../node/file-lock.js'
import { bundleChild, startChild } from './crash/children.js'
import { makeTemporary } from './crash/disk-engine.js'

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

/** A lock as a process leaves it that is killed while it holds it. */
function leave(token: { pid: number; started?: string; id: string }): void {
  fs.symlinkSync(JSON.stringify(token), lock)
}

const startOf = (pid: number) =>
  fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] as string
const nobody = 2 ** 22 + 1

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
    ['a link that says something else', () => fs.symlinkSync('not a token', lock)],
    ['a link to a token of no process', () => fs.symlinkSync('{"pid":-1,"id":"a"}', lock)],
    ['a file', () => fs.writeFileSync(lock, '')],
  ])('%s in its place is held by nobody', async (_what, put) => {
    put()
    const locks = fileLock(lock)
    expect(await locks.hold([], async () => JSON.parse(fs.readlinkSync(lock)).pid)).toBe(process.pid)
    expect(namesLeft()).toEqual([])
  })

  test('its directory is made again when someone has removed it', async () => {
    const locks = fileLock(lock)
    fs.rmSync(path.dirname(lock), { recursive: true })
    expect(await locks.hold([], async () => namesLeft())).toEqual(['lock'])
  })

  test('what keeps it from being taken is told of the path that was to be changed', async () => {
    fs.rmSync(path.dirname(lock), { recursive: true })
    fs.writeFileSync(path.dirname(lock), '')
    const held = fileLock(lock).hold([{ path: '/a.txt' }], async () => {})
    await expect(held).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY', facts: { path: '/a.txt' } })
  })

  test('several holders in one process take turns', async () => {
    let [holding, most, turns] = [0, 0, 0]
    const hold = () =>
      fileLock(lock).hold([], async () => {
        holding += 1
        most = Math.max(most, holding)
        turns += 1
        await new Promise(setImmediate)
        holding -= 1
      })
    await Promise.all(Array.from({ length: 16 }, hold))
    expect([most, turns]).toEqual([1, 16])
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

  test('a process that always has more to do lets another have its turns', async () => {
    const counter = path.join(path.dirname(lock), 'counter')
    fs.writeFileSync(counter, '0')
    const times = 10
    const child = startChild(script, 'increment', lock, counter, times)
    let [ended, turnsBetween] = [false, 0]
    const locks = fileLock(lock)
    const work = async () => {
      while (!ended) {
        await locks.hold([], async () => {
          await new Promise((resolve) => setTimeout(resolve, 20))
          if (Number(fs.readFileSync(counter, 'utf8')) > 0) turnsBetween += 1
        })
      }
    }
    const working = Promise.all([work(), work(), work()])
    expect((await child.ended).code).toBe(0)
    ended = true
    await working
    expect(turnsBetween).toBeLessThan(3 * times)
    expect(namesLeft()).toEqual(['counter'])
  })

  test('nobody waits for one that died waiting', async () => {
    const next = { pid: nobody, id: 'a' }
    fs.symlinkSync(JSON.stringify(next), `${lock}.next`)
    expect(await fileLock(lock).hold([], async () => 'held')).toBe('held')
    expect(namesLeft()).toEqual([])
  })

  test('is free again when what was run fails', async () => {
    await expect(fileLock(lock).hold([], () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(namesLeft()).toEqual([])
  })

  test('of a process that was killed is taken over, by one of those that wait', async () => {
    const child = startChild(script, 'hold', lock)
    await child.says(/held/)
    let [holding, most] = [0, 0]
    const waiting = Array.from({ length: 8 }, () =>
      fileLock(lock).hold([], async () => {
        holding += 1
        most = Math.max(most, holding)
        await new Promise(setImmediate)
        holding -= 1
      }),
    )
    child.process.kill('SIGKILL')
    await child.ended
    await Promise.all(waiting)
    expect(most).toBe(1)
    expect(namesLeft()).toEqual([])
  })

  test('of a process whose number went to another is taken over', async () => {
    leave({ pid: process.pid, started: '1', id: 'a' })
    expect(await fileLock(lock).hold([], async () => 'taken over')).toBe('taken over')
    expect(namesLeft()).toEqual([])
  })

  test('of a process that lives is waited for', async () => {
    leave({ pid: process.pid, started: startOf(process.pid), id: 'a' })
    let held = false
    const waiting = fileLock(lock).hold([], async () => {
      held = true
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(held).toBe(false)
    fs.rmSync(lock)
    await waiting
    expect(held).toBe(true)
  })

  test('is taken over even when those before died while taking it over', async () => {
    leave({ pid: nobody, id: 'a' })
    fs.symlinkSync(JSON.stringify({ pid: nobody, id: 'b' }), `${lock}.a`)
    fs.symlinkSync(JSON.stringify({ pid: nobody, id: 'c' }), `${lock}.b`)
    expect(await fileLock(lock).hold([], async () => 'taken over')).toBe('taken over')
    expect(namesLeft()).toEqual([])
  })

  test('is left alone while one that lives takes it over', async () => {
    leave({ pid: nobody, id: 'a' })
    fs.symlinkSync(JSON.stringify({ pid: process.pid, started: startOf(process.pid), id: 'b' }), `${lock}.a`)
    let held = false
    const waiting = fileLock(lock).hold([], async () => {
      held = true
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(held).toBe(false)
    fs.rmSync(`${lock}.a`)
    await waiting
    expect(namesLeft()).toEqual([])
  })

  test('gives each holder a millisecond of its own', async () => {
    const times: number[] = []
    for (let turn = 0; turn < 20; turn += 1) await fileLock(lock).hold([], async () => void times.push(Date.now()))
    expect(new Set(times).size).toBe(20)
  })
})
