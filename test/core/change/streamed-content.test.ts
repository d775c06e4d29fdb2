/** Content that a change writes without ever holding all of it. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createChanges } from '../../../src/change/changes.js'
import { createHistory } from '../../../src/change/history/history.js'
import { type Journal, memoryJournal, storedJournal } from '../../../src/change/journal/journal.js'
import { FsError } from '../../../src/errors.js'
import { type MemoryTree, memory } from '../../../src/fs/backends/memory.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { sha256InPieces } from '../../../src/fs/digests/sha256.js'
import { confine } from '../../../src/fs/gate/confine.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { decode, encode, snapshot } from './faulty-disk.js'

const everything = { label: 'some', scopes: [{ path: '/', tree: true }] }

/** Whatever is larger than a byte is too large to be read for undo. */
function engineOver(raw: FileSystem, journal: Journal = memoryJournal(), roots = ['/']) {
  const [first, ...rest] = roots.map((path) => ({ path, access: 'read-write' as const }))
  const fs = confine(raw, { roots: [first!, ...rest] })
  const changes = createChanges({ fs, journal, limits: { maxUndoBytes: 1 } })
  return { raw, changes, history: createHistory(fs, changes) }
}

function engine(files: MemoryTree, journal?: Journal) {
  return engineOver(memory(files), journal)
}

function streamOf(...texts: string[]) {
  return {
    async *pieces() {
      for (const text of texts) yield encode(text)
    },
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

describe.each([
  ['in memory', async () => memoryJournal()],
  ['stored', () => storedJournal(memory())],
  [
    'stored where nothing is replaced in one step',
    async () => {
      const store = memory()
      return storedJournal({ ...store, capabilities: { ...store.capabilities, atomicRename: false } })
    },
  ],
] as const)('with a journal %s', (_name, openJournal) => {
  test('the record is the same as if the content had been known in advance', async () => {
    const { raw, changes } = engine({ 'a.txt': 'old', 'b.txt': 'large' }, await openJournal())
    const { record } = await changes.run(everything, async (draft) => {
      await draft.write('/a.txt', streamOf('some ', '', 'text'))
      await draft.copy('/b.txt', '/c.txt', { mode: 0o600 })
    })
    expect(await snapshot(raw)).toEqual({
      '/a.txt': 'file 644 some text',
      '/b.txt': 'file 644 large',
      '/c.txt': 'file 600 large',
    })
    const [kept] = await changes.journal.history(1)
    for (const known of [record, kept]) {
      expect(known?.steps.map((step) => step.do === 'set' && [step.path, step.after])).toEqual([
        ['/a.txt', { kind: 'file', hash: hashOf('some text'), size: 9, mode: 0o644 }],
        ['/c.txt', { kind: 'file', hash: hashOf('large'), size: 5, mode: 0o600 }],
      ])
    }
  })

  test('an error while streaming fails the change, and nothing is left behind', async () => {
    const { raw, changes } = engine({ 'a.txt': 'old' }, await openJournal())
    const failing = {
      async *pieces() {
        yield encode('some')
        throw new FsError('BAD_ARCHIVE', { path: '/other.zip', reason: 'damaged' })
      },
    }
    const change = changes.run(everything, async (draft) => {
      await draft.write('/b.txt', streamOf('b'))
      await draft.write('/a.txt', failing)
    })
    await expect(change).rejects.toMatchObject({ code: 'BAD_ARCHIVE', facts: { path: '/other.zip' } })
    expect(await snapshot(raw)).toEqual({ '/a.txt': 'file 644 old' })
    expect(await changes.journal.pending()).toEqual([])
  })

  test('a file that changes while it is copied is a conflict', async () => {
    const { raw, changes } = engine({ 'a.txt': 'large' }, await openJournal())
    const change = changes.run(everything, async (draft) => {
      await draft.copy('/a.txt', '/b.txt')
      await raw.writeFile('/a.txt', encode('LARGER'))
    })
    await expect(change).rejects.toMatchObject({ code: 'CONFLICT', facts: { path: '/a.txt' } })
    expect(await snapshot(raw)).toEqual({ '/a.txt': 'file 644 LARGER' })
  })

  test('content that differs when it is read again is detected', async () => {
    const { raw, changes } = engine({}, await openJournal())
    let rounds = 0
    const content = {
      async *pieces() {
        rounds += 1
        yield encode(`round ${rounds}`)
      },
    }
    const outcome = await changes
      .run(everything, (draft) => draft.write('/a.txt', content))
      .then(
        ({ record }) => record?.steps.map((step) => step.do === 'set' && step.after),
        (error) => error.code,
      )
    const written = { kind: 'file', hash: hashOf('round 1'), size: 7 }
    if (rounds === 1) expect(outcome).toEqual([written])
    else expect([outcome, await snapshot(raw)]).toEqual(['CONFLICT', {}])
  })
})

test('aborted between two pieces, nothing is written', async () => {
  const { raw, changes } = engine({ 'a.txt': 'old' })
  const controller = new AbortController()
  const content = {
    async *pieces() {
      yield encode('some')
      controller.abort()
      yield encode('more')
    },
  }
  const change = changes.run({ ...everything, signal: controller.signal }, (draft) => draft.write('/a.txt', content))
  await expect(change).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await snapshot(raw)).toEqual({ '/a.txt': 'file 644 old' })
})

test('drafted entries can be read, moved and given a mode before the commit', async () => {
  const { raw, changes } = engine({ 'd/': '' })
  await changes.run(everything, async (draft) => {
    await draft.write('/a', streamOf('one ', 'text'))
    expect(decode(await draft.read('/a'))).toBe('one text')
    await draft.write('/b', streamOf('another'))
    await draft.setMode('/b', 0o600)
    await draft.move('/b', '/d/c')
    await draft.copy('/d/c', '/e')
  })
  expect(await snapshot(raw)).toEqual({
    '/a': 'file 644 one text',
    '/d': 'directory 755',
    '/d/c': 'file 600 another',
    '/e': 'file 644 another',
  })
})

test('a large file moves from one file system to another, also in a directory and over a file', async () => {
  const [left, right] = [memory({ 'd/big': 'a large file', 'd/e/small': 's', one: 'another' }), memory({ one: 'gone' })]
  const { changes } = engineOver(mount({ '/left': left, '/right': right }), memoryJournal(), ['/left', '/right'])
  const scopes = ['/left', '/right'].map((path) => ({ path, tree: true }))
  await changes.run({ label: 'move', scopes }, async (draft) => {
    await draft.move('/left/d', '/right/d')
    await draft.remove('/right/one')
    await draft.move('/left/one', '/right/one')
  })
  expect(await snapshot(left)).toEqual({})
  expect(await snapshot(right)).toEqual({
    '/d': 'directory 755',
    '/d/big': 'file 644 a large file',
    '/d/e': 'directory 755',
    '/d/e/small': 'file 644 s',
    '/one': 'file 644 another',
  })
})

test('a file is not confused with a replaced one of the same size and time', async () => {
  const [left, right] = [memory({ one: 'these bytes' }), memory({ one: 'other bytes' })]
  for (const side of [left, right]) await side.setModified?.('/one', 1_000_000)
  const { changes } = engineOver(mount({ '/left': left, '/right': right }), memoryJournal(), ['/left', '/right'])
  const scopes = ['/left', '/right'].map((path) => ({ path, tree: true }))
  await changes.run({ label: 'move', scopes }, async (draft) => {
    await draft.remove('/right/one')
    await draft.move('/left/one', '/right/one')
  })
  expect([await snapshot(left), await snapshot(right)]).toEqual([{}, { '/one': 'file 644 these bytes' }])
})

test('a hash in pieces equals that of the whole, however it is split', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, index) => (index * 7) % 256)
  for (let length = 0; length <= bytes.length; length += 1) {
    const expected = createHash('sha256').update(bytes.subarray(0, length)).digest('hex')
    for (const size of [1, 3, 55, 63, 64, 65, 128, 299]) {
      const running = sha256InPieces()
      for (let at = 0; at < length; at += size) running.add(bytes.subarray(at, Math.min(length, at + size)))
      expect(running.end()).toBe(expected)
    }
  }
})
