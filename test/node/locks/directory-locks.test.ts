import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { type DirectoryLocksOptions, directoryLocks } from '../../../node/locks/directory-locks.js'
import { fileLock } from '../../../node/locks/file-lock.js'
import { NoSocketsHere } from '../../../node/locks/listener.js'
import { inCommonPlace, pipeNames } from '../../../node/locks/lock-places.js'
import { type LockNames, take } from '../../../node/locks/lock-protocol.js'
import { openDirectories } from '../../../node/workspace/directory-workspace.js'
import { polyfs } from '../../../src/dialects/polyfs/tools.js'
import { deleteEntry } from '../../../src/ops/delete-entry.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { temporaryDirectory } from '../cli/run-cli.js'
import { leaveDeadLock } from './dead-lock.js'

let directory: string
beforeEach(async () => {
  directory = fs.realpathSync(await temporaryDirectory())
  fs.mkdirSync(path.join(directory, 'root/a/b'), { recursive: true })
  fs.writeFileSync(path.join(directory, 'root/a/b/file'), 'old')
})

const lockOf = (at: string) => path.join(directory, at, '.polyfs-lock')

async function open(root: string, state: string) {
  const workspace = await openDirectories([{ directory: path.join(directory, root), access: 'read-write' }], {
    stateDirectory: path.join(directory, state),
  })
  onTestFinished(() => workspace.close())
  return workspace
}

/** The only thing it does is to write a file. */
function write(workspace: Workspace, at: string, content: string) {
  return workspace.changes.run({ label: 'write', scopes: [{ path: at }] }, (draft) =>
    draft.write(at, new TextEncoder().encode(content)),
  )
}

/** With all that is in it. */
function deleteAll(workspace: Workspace, at: string) {
  return deleteEntry.run(deleteEntry.input.parse({ path: at, recursive: true }), workspace, {})
}

function locksOf(root: string, bounds: Partial<DirectoryLocksOptions> = {}) {
  const disk = nodeFs(path.join(directory, root))
  onTestFinished(() => disk.close())
  return directoryLocks({ inDirectory: disk.inDirectory, hostPath: (at) => path.join(disk.root, at), ...bounds })
}

describe('locks of directories', () => {
  test('belong to the directory, whatever root it is reached from', async () => {
    const [outer, inner] = [locksOf('root'), locksOf('root/a', { maxWaitMs: 0 })]
    await outer.hold(['/a/b'], async () => {
      expect(fs.readdirSync(path.join(directory, 'root/a/b'))).toEqual(['.polyfs-lock', 'file'])
      await expect(inner.hold(['/b'], async () => {})).rejects.toMatchObject({ code: 'BUSY', facts: { path: '/b' } })
      expect(await inner.hold(['/'], async () => 'another is free')).toBe('another is free')
    })
    expect(await inner.hold(['/b'], async () => fs.existsSync(lockOf('root/a/b')))).toBe(true)
    expect(fs.readdirSync(path.join(directory, 'root/a/b'))).toEqual(['file'])
  })

  test('that are needed late are reported, and not waited for in a circle', async () => {
    const [one, other] = [locksOf('root', { maxLateWaitMs: 200 }), locksOf('root', { maxLateWaitMs: 200 })]
    expect(await one.hold(['/a'], ({ cover }) => cover(['/a', '/a/b', '/missing']))).toEqual(['/a/b'])
    let reached = () => {}
    const bothHold = new Promise<void>((tell) => {
      reached = tell
    })
    let holders = 0
    const crossing = (locks: typeof one, first: string, second: string) =>
      locks.hold([first], async ({ cover }) => {
        holders += 1
        if (holders === 2) reached()
        await bothHold
        return cover([second])
      })
    const ended = await Promise.allSettled([crossing(one, '/a', '/a/b'), crossing(other, '/a/b', '/a')])
    const refused = ended.flatMap((end) => (end.status === 'rejected' ? end.reason.code : []))
    expect(refused.length).toBeGreaterThan(0)
    expect(new Set(refused)).toEqual(new Set(['BUSY']))
  })

  test('of a directory that is gone, or behind a link, do not exist', async () => {
    fs.symlinkSync('a', path.join(directory, 'root/link'))
    expect(await locksOf('root').hold(['/nothing', '/link', '/a/b/file'], async () => 'done')).toBe('done')
  })

  test('are released after use where their directory can’t be listed', async () => {
    const [first, second] = [locksOf('root'), locksOf('root', { maxWaitMs: 0 })]
    leaveDeadLock(lockOf('root/a'))
    const listing = vi.spyOn(fs, 'readdirSync').mockImplementation(() => {
      throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
    })
    onTestFinished(() => listing.mockRestore())
    await first.hold(['/a'], async () => {})
    expect(listing).toHaveBeenCalled()
    expect(await second.hold(['/a'], async () => 'free')).toBe('free')
  })

  test('go with a directory that is deleted, dead ones of others too', async () => {
    const workspace = await open('root', 'state')
    leaveDeadLock(lockOf('root/a/b'))
    leaveDeadLock(lockOf('root/a'))
    await deleteAll(workspace, path.join(directory, 'root/a'))
    expect(fs.readdirSync(path.join(directory, 'root'))).toEqual([])
  })

  test('a directory in which another server is at work is not deleted under it', async () => {
    const workspace = await open('root', 'state')
    const server = net.createServer().listen(lockOf('root/a/b'))
    onTestFinished(() => void server.close())
    const deleting = deleteAll(workspace, path.join(directory, 'root/a'))
    await expect(deleting).rejects.toMatchObject({ code: 'BUSY' })
    expect(fs.readFileSync(path.join(directory, 'root/a/b/file'), 'utf8')).toBe('old')
  })

  test('what is not a lock under their name stays, and the answer says what to remove', async () => {
    const workspace = await open('root', 'state')
    fs.writeFileSync(lockOf('root/a/b'), 'mine')
    const file = path.join(directory, 'root/a/b/file')
    const failure = await write(workspace, file, 'new').catch((error) => error)
    expect(failure).toMatchObject({ code: 'BUSY', facts: { lock: lockOf('root/a/b') } })
    expect(JSON.stringify(polyfs.fail(failure, workspace, { tool: 'write_file', args: {} }))).toContain(
      `remove ${lockOf('root/a/b')}, then try again`,
    )
    expect(fs.readFileSync(lockOf('root/a/b'), 'utf8')).toBe('mine')
  })

  test('can be neither seen nor written by tools', async () => {
    const workspace = await open('root', 'state')
    await locksOf('root').hold(['/a/b'], async () => {
      const listed = await workspace.fs.readDir(path.join(directory, 'root/a/b'))
      expect(listed.map(({ name }) => name)).toEqual(['file'])
    })
    for (const name of ['.POLYFS-LOCK', '.polyfs-lock-12']) {
      const writing = write(workspace, path.join(directory, 'root/a', name), 'x')
      await expect(writing).rejects.toMatchObject({ code: 'PROTECTED', facts: { name } })
    }
  })

  test('nor while it is held for the very call', async () => {
    const workspace = await open('root', 'state')
    const writing = write(workspace, lockOf('root/a'), 'x')
    await expect(writing).rejects.toMatchObject({ code: 'SPECIAL_FILE' })
  })

  test('another user’s dead lock in a sticky directory fails at once', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can make files of two users')
    const at = path.join(directory, 'root/a')
    leaveDeadLock(lockOf('root/a'))
    fs.chmodSync(at, 0o1777)
    for (const above of [directory, path.join(directory, 'root')]) fs.chmodSync(above, 0o755)
    const locks = locksOf('root')
    process.seteuid?.(65_534)
    const held = await locks.hold(['/a'], async () => {}).catch((error) => error)
    process.seteuid?.(0)
    expect(held).toMatchObject({ code: 'BUSY', facts: { path: '/a', lock: lockOf('root/a') } })
  })
})

describe('locks of directories that share a socket with another lock', () => {
  function sharing() {
    const journal = fileLock(path.join(directory, 'state/lock'), { idleMs: 600_000, together: 3 })
    onTestFinished(() => journal.close())
    return { journal, locks: locksOf('root', { listeners: () => journal.listeners }) }
  }
  const numberOf = (at: string) => fs.lstatSync(at).ino

  test('are names of that socket, and go while it stays', async () => {
    const { journal, locks } = sharing()
    for (let turn = 0; turn < 3; turn += 1) {
      await journal.hold([], () =>
        locks.hold(['/a', '/a/b'], async () => {
          const numbers = ['root/a', 'root/a/b'].map((at) => numberOf(lockOf(at)))
          expect(new Set([...numbers, numberOf(path.join(directory, 'state/lock'))]).size).toBe(1)
        }),
      )
      expect(fs.existsSync(lockOf('root/a'))).toBe(false)
      expect(fs.existsSync(lockOf('root/a/b'))).toBe(false)
    }
  })

  test('are waited for by others only as long as they are held', async () => {
    const { journal, locks } = sharing()
    const order: string[] = []
    const other = await journal.hold([], async () => {
      const waiting = await locks.hold(['/a'], async () => {
        const begun = locksOf('root').hold(['/a'], async () => void order.push('other'))
        await new Promise((resolve) => setTimeout(resolve, 50))
        order.push('own')
        return { begun }
      })
      await waiting.begun
      return waiting
    })
    await other.begun
    expect(order).toEqual(['own', 'other'])
  })

  test('that can’t be removed because their directory has moved are free for others soon', async () => {
    const { journal, locks } = sharing()
    await journal.hold([], () =>
      locks.hold(['/a/b'], async () => {
        fs.renameSync(path.join(directory, 'root/a/b'), path.join(directory, 'root/a/moved'))
      }),
    )
    expect(await locksOf('root').hold(['/a/moved'], async () => 'held')).toBe('held')
    // What is held from now on is held with another socket.
    await journal.hold([], () => locks.hold(['/a'], async () => expect(fs.existsSync(lockOf('root/a'))).toBe(true)))
  })

  test('are not given to a socket that has taken the other’s place', async () => {
    const { journal, locks } = sharing()
    await journal.hold([], async () => {
      const at = path.join(directory, 'state/lock')
      fs.rmSync(at)
      leaveDeadLock(at)
      await locks.hold(['/a'], async () => expect(numberOf(lockOf('root/a'))).not.toBe(numberOf(at)))
    })
    expect(fs.existsSync(lockOf('root/a'))).toBe(false)
  })
})

describe.each<[string, (at: string) => LockNames]>([
  ['a common place', (at) => inCommonPlace([], at).names],
  // An abstract socket behaves as a named pipe: one listens, and it is gone with its process.
  ['named pipes', (at) => pipeNames('key', `\0${at}`)],
])('locks in %s', (_where, names) => {
  test('have one holder at a time', async () => {
    const at = path.join(directory, 'common')
    let [holding, most] = [0, 0]
    const turn = async () => {
      const own = names(at)
      await take(own, '1-2', { goOn() {} })
      holding += 1
      most = Math.max(most, holding)
      await new Promise(setImmediate)
      holding -= 1
      await own.release('1-2')
    }
    await Promise.all(Array.from({ length: 8 }, turn))
    expect(most).toBe(1)
    expect(fs.existsSync(at) ? fs.readdirSync(at) : []).toEqual([])
  })
})

test.skipIf(process.platform === 'win32')('a link in place of the common place is not followed', async () => {
  const [at, elsewhere] = [path.join(directory, 'planted'), path.join(directory, 'elsewhere')]
  fs.mkdirSync(elsewhere)
  fs.symlinkSync(elsewhere, at)
  const before = fs.statSync(elsewhere, { bigint: true }).mtimeNs
  await expect(take(inCommonPlace([], at).names, '1-2', { goOn() {} })).rejects.toThrow(NoSocketsHere)
  expect(fs.statSync(elsewhere, { bigint: true }).mtimeNs).toBe(before)
})
