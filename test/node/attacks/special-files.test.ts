import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type NodeFileSystem, nodeFs } from '../../../node/disk/node-fs.js'
import { FsError } from '../../../src/errors.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { realDisk } from '../../real-disk.js'

/** Long enough for any machine, and still a failure: what hangs on a special file hangs for good. */
const soonMs = 60_000

const makers: Record<string, (file: string) => Promise<void>> = {
  'a FIFO': async (file) => void execFileSync('mkfifo', [file]),
  'a socket': async (file) => {
    server = net.createServer().listen(file)
    await once(server, 'listening')
  },
  'an endless device': async (file) => void execFileSync('mknod', [file, 'c', '1', '5']),
}

let root: string
let special: string
let disk: NodeFileSystem
let server: net.Server | undefined

beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(realDisk, 'polyfs-special-')))
  special = path.join(root, 'special')
  fs.writeFileSync(path.join(root, 'ordinary.txt'), 'ordinary\n')
  disk = nodeFs(root)
})

afterEach(async () => {
  if (server !== undefined) {
    const closed = once(server, 'close')
    server.close()
    await closed
    server = undefined
  }
  disk.close()
  fs.rmSync(root, { recursive: true })
})

for (const [what, make] of Object.entries(makers)) {
  describe(what, () => {
    beforeEach(async (context) => {
      if (what === 'an endless device' && !canMakeDevices(root)) context.skip('only root may make device files')
      await make(special)
    })

    const refused: Record<string, () => Promise<unknown>> = {
      'read whole': () => disk.readFile('/special'),
      'read in part': () => disk.readFile('/special', { start: 0, end: 1 }),
      opened: async () => disk.open?.('/special'),
      written: () => disk.writeFile('/special', bytes('x')),
    }
    for (const [how, call] of Object.entries(refused)) {
      test(`is refused at once when ${how}, and stays what it was`, async () => {
        const before = fs.lstatSync(special)
        await expect(soon(call())).rejects.toEqual(new FsError('SPECIAL_FILE', { path: '/special' }))
        const { ino, mode, size } = fs.lstatSync(special)
        expect({ ino, mode, size }).toEqual({ ino: before.ino, mode: before.mode, size: before.size })
        expect(fs.readdirSync(root).sort()).toEqual(['ordinary.txt', 'special'])
      })
    }

    test('is refused as new when it is written exclusively', async () => {
      const writing = soon(disk.writeFile('/special', bytes('x'), { exclusive: true }))
      await expect(writing).rejects.toEqual(new FsError('EXISTS', { path: '/special' }))
    })

    test('is not a directory', async () => {
      await expect(soon(disk.readDir('/special'))).rejects.toEqual(
        expect.objectContaining({ code: 'NOT_A_DIRECTORY', facts: { path: '/special' } }),
      )
    })

    test('is listed, walked and described as "other", without a size', async () => {
      const entries = await soon(disk.readDir('/'))
      expect(entries.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
        { name: 'ordinary.txt', kind: 'file' },
        { name: 'special', kind: 'other' },
      ])
      const walked: string[] = []
      for await (const entry of walk(disk, '/', {})) walked.push(`${entry.path} ${entry.kind}`)
      expect(walked.sort()).toEqual(['/ordinary.txt file', '/special other'])
      const stat = await soon(disk.stat('/special'))
      expect({ kind: stat.kind, size: stat.size }).toEqual({ kind: 'other', size: undefined })
    })

    test('can be moved and removed, which opens nothing', async () => {
      await soon(disk.rename('/special', '/moved'))
      expect(fs.readdirSync(root).sort()).toEqual(['moved', 'ordinary.txt'])
      await soon(disk.remove('/moved'))
      expect(fs.readdirSync(root)).toEqual(['ordinary.txt'])
    })
  })
}

test('reads of FIFOs, more than there are threads, hold up no ordinary read', async () => {
  const fifos = Array.from({ length: 16 }, (_, index) => `/fifo-${index}`)
  execFileSync(
    'mkfifo',
    fifos.map((fifo) => path.join(root, fifo)),
  )
  // Past what is read at once, so that this read needs a thread of the pool.
  const large = new Uint8Array(1024 * 1024).fill(97)
  fs.writeFileSync(path.join(root, 'large.txt'), large)
  const [ordinary, ...blocked] = await soon(
    Promise.all([
      Promise.all([disk.readFile('/ordinary.txt'), disk.readFile('/large.txt')]),
      ...fifos.map((fifo) => disk.readFile(fifo).catch((error: unknown) => error)),
    ]),
  )
  expect(ordinary.map((content) => content.length)).toEqual([9, large.length])
  expect(blocked).toEqual(fifos.map((fifo) => new FsError('SPECIAL_FILE', { path: fifo })))
})

test('a file that becomes a FIFO between listing and reading is refused', async () => {
  expect(await disk.readDir('/')).toEqual([{ name: 'ordinary.txt', kind: 'file' }])
  fs.unlinkSync(path.join(root, 'ordinary.txt'))
  execFileSync('mkfifo', [path.join(root, 'ordinary.txt')])
  await expect(soon(disk.readFile('/ordinary.txt'))).rejects.toEqual(
    new FsError('SPECIAL_FILE', { path: '/ordinary.txt' }),
  )
})

function soon<Result>(call: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${soonMs} ms`)), soonMs)
  })
  return Promise.race([call, late]).finally(() => clearTimeout(timer))
}

function canMakeDevices(directory: string): boolean {
  const probe = path.join(directory, 'probe')
  const made = spawnSync('mknod', [probe, 'c', '1', '5']).status === 0
  fs.rmSync(probe, { force: true })
  return made
}

function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content)
}
