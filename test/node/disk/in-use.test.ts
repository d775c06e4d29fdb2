/** Windows refuses to rename and delete what another program has open. */
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { deferredClose } from '../../../node/disk/deferred-close.js'
import { renameEntry, whileInUse } from '../../../node/disk/host-rename.js'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { createChanges } from '../../../src/change/changes.js'
import { createHistory } from '../../../src/change/history/history.js'
import { confine } from '../../../src/fs/gate/confine.js'

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/** Fails so many times, then succeeds. */
function flaky(times: number, code: string): { act(): string; attempts(): number } {
  let made = 0
  return {
    act() {
      made += 1
      if (made <= times) throw failure(code)
      return 'done'
    },
    attempts: () => made,
  }
}

const paused: number[] = []
const onWindows = { platform: 'win32' as const, pause: async (ms: number) => void paused.push(ms) }

test.each(['EPERM', 'EACCES', 'EBUSY'])('a file that is in use (%s) is waited for', async (code) => {
  const { act, attempts } = flaky(4, code)
  expect(await whileInUse(act, onWindows)).toBe('done')
  expect(attempts()).toBe(5)
})

test('one that stays in use is an error after some seconds', async () => {
  paused.length = 0
  const { act } = flaky(Number.POSITIVE_INFINITY, 'EPERM')
  await expect(whileInUse(act, onWindows)).rejects.toThrow('EPERM')
  const waitedMs = paused.reduce((sum, ms) => sum + ms, 0)
  expect(waitedMs).toBeGreaterThan(1000)
  expect(waitedMs).toBeLessThan(10_000)
})

test('other errors are not repeated, nor is anything on other systems', async () => {
  const missing = flaky(1, 'ENOENT')
  await expect(whileInUse(missing.act, onWindows)).rejects.toThrow('ENOENT')
  expect(missing.attempts()).toBe(1)
  const denied = flaky(1, 'EPERM')
  await expect(whileInUse(denied.act, { ...onWindows, platform: 'linux' })).rejects.toThrow('EPERM')
  expect(denied.attempts()).toBe(1)
})

test('on Windows too, a directory replaces an empty one, and no other', () => {
  const root = mkdtempSync(join(tmpdir(), 'polyfs-rename-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const name of ['from', 'empty', 'full']) mkdirSync(join(root, name))
  writeFileSync(join(root, 'full', 'a.txt'), '')
  const named = (name: string) => ({ path: `/${name}`, entry: join(root, name) })
  const rename = (from: string, to: string) =>
    renameEntry(named(from), named(to), deferredClose({ waits: true }), 'win32')
  expect(() => rename('from', 'full')).toThrow(/ENOTEMPTY/)
  rename('from', 'empty')
  expect(readdirSync(root).sort()).toEqual(['empty', 'full'])
})

describe('a change of a file that another program has open', () => {
  /** A disk as on Windows, where the next renames fail. */
  function openDisk(failures: number, code: string) {
    const root = mkdtempSync(join(tmpdir(), 'polyfs-in-use-'))
    writeFileSync(join(root, 'a.txt'), 'old')
    const disk = nodeFs(root, { anchor: 'walk', fsync: false })
    const { platform } = process
    Object.defineProperty(process, 'platform', { value: 'win32' })
    let left = failures
    const { renameSync } = fs
    const renames = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      left -= 1
      if (left >= 0) throw failure(code)
      renameSync(from, to)
    })
    onTestFinished(() => {
      Object.defineProperty(process, 'platform', { value: platform })
      renames.mockRestore()
      disk.close()
      rmSync(root, { recursive: true })
    })
    const confined = confine(disk, { roots: [{ path: '/', access: 'read-write' }] })
    const changes = createChanges({ fs: confined })
    const write = () =>
      changes.run({ label: 'write', scopes: [{ path: '/a.txt' }] }, (draft) =>
        draft.write('/a.txt', new TextEncoder().encode('new')),
      )
    return { root, changes, write, undo: () => createHistory(confined, changes).undo() }
  }

  test.each(['EPERM', 'EACCES', 'EBUSY'])('lands when it is closed (%s), and is undone', async (code) => {
    const { root, write, undo } = openDisk(4, code)
    await write()
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('new')
    expect(readdirSync(root)).toEqual(['a.txt'])
    await undo()
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old')
  })

  test('is refused when it stays open, and leaves nothing behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { root, write } = openDisk(Number.POSITIVE_INFINITY, 'EPERM')
    let ended = false
    const refused = expect(write().finally(() => (ended = true))).rejects.toMatchObject({ code: 'DENIED' })
    while (!ended) await vi.advanceTimersByTimeAsync(1000)
    await refused
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old')
    expect(readdirSync(root)).toEqual(['a.txt'])
  })
})
