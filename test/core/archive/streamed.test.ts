/** Files that are too large to hold come out of archives, and go into them, as the others do. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openArchive, readArchive } from '../../../src/archive/read-archive.js'
import { deflated, inflated } from '../../../src/archive/stream-compression.js'
import { type ArchiveInput, writeArchive } from '../../../src/archive/write-archive.js'
import { isFsError } from '../../../src/errors.js'
import { gather } from '../../../src/fs/pieces.js'
import type { Bytes, Pieces } from '../../../src/fs/types.js'
import { sample, scaled } from '../../scale.js'
import { corpus, moreCases } from './corpus.js'

const directory = mkdtempSync(join(tmpdir(), 'polyfs-streamed-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** What becomes of each file, the one way and the other. */
async function outcomes(archive: Bytes) {
  const opened = await openArchive(archive, { names: 'relative', path: '/a.zip' }).catch((error) => {
    if (!isFsError(error)) throw error
  })
  const found: { read: unknown; streamed: unknown }[] = []
  for (const file of opened?.entries.filter(({ kind }) => kind === 'file') ?? []) {
    const whole = opened?.read((entry) => entry === file).next()
    const read = await whole?.then(({ value }) => value?.bytes).catch(failure)
    found.push({ read, streamed: await gather(opened!.pieces(file)).catch(failure) })
  }
  return found
}

function failure(error: unknown): object {
  if (!isFsError(error)) throw error
  return { code: error.code, ...error.facts }
}

test.each(sample([...corpus, ...moreCases], { every: 3 }).map((each) => [each.name, each] as const))(
  '%s',
  async (_name, each) => {
    for (const { read, streamed } of await outcomes(await each.make())) expect(streamed).toEqual(read)
  },
)

function inPieces(bytes: Bytes, size: number): Pieces {
  return async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
}

const content = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 400 })).map(([bytes, times]) => {
    return Uint8Array.from({ length: bytes.length * times }, (_, at) => bytes[at % bytes.length] as number)
  }),
)
const mixed = fc.array(fc.record({ content, streams: fc.boolean(), size: fc.integer({ min: 1, max: 100 }) }), {
  maxLength: 6,
})

function inputsOf(files: typeof mixed extends fc.Arbitrary<infer Value> ? Value : never): ArchiveInput[] {
  return files.map(({ content: bytes, streams, size }, index) => {
    const known = { path: `${index}.bin`, kind: 'file' as const, mode: 0o640, modifiedMs: 1_700_000_000_000 }
    return streams ? { ...known, pieces: inPieces(bytes, size) } : { ...known, bytes }
  })
}

test('an archive of streamed files has the same content as one of bytes', async () => {
  await fc.assert(
    fc.asyncProperty(mixed, async (files) => {
      const { files: read } = await readArchive(await writeArchive(inputsOf(files)))
      expect(read.map(({ bytes, mode, modifiedMs }) => ({ bytes, mode, modifiedMs }))).toEqual(
        files.map(({ content: bytes }) => ({ bytes, mode: 0o640, modifiedMs: 1_700_000_000_000 })),
      )
    }),
    { numRuns: scaled(60) },
  )
})

test('with any damage to an archive, streaming a file gives the same bytes or the same error as reading it', async () => {
  const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 3 })
  let failures = 0
  await fc.assert(
    fc.asyncProperty(mixed, damage, async (files, places) => {
      const archive = await writeArchive(inputsOf(files))
      for (const [place, change] of places) archive[place % archive.length]! ^= change
      for (const { read, streamed } of await outcomes(archive)) {
        expect(streamed).toEqual(read)
        if (!(read instanceof Uint8Array)) failures += 1
      }
    }),
    { numRuns: scaled(150) },
  )
  expect(failures).toBeGreaterThan(scaled(10) - 1)
})

test('other programs read streamed archives', ({ skip }) => {
  if (spawnSync('unzip', ['-v']).error !== undefined) skip('this machine has no unzip')
  return fc.assert(
    fc.asyncProperty(mixed, async (files) => {
      if (files.length === 0) return
      const archive = join(directory, 'a.zip')
      writeFileSync(archive, await writeArchive(inputsOf(files)))
      expect(spawnSync('unzip', ['-tqq', archive], { encoding: 'utf8' })).toMatchObject({ status: 0, stdout: '' })
    }),
    { numRuns: scaled(15) },
  )
})

test('limits are enforced while streaming', async () => {
  let given = 0
  const endless: Pieces = async function* () {
    for (;;) {
      given += 1
      yield new Uint8Array(1000)
    }
  }
  const limits = { maxEntryBytes: 10_000 }
  await expect(writeArchive([{ path: 'f', kind: 'file', pieces: endless }], { limits })).rejects.toMatchObject({
    code: 'ARCHIVE_TOO_LARGE',
    facts: { what: 'entry', entry: 'f' },
  })
  expect(given).toBe(11)
})

test.each([
  ['deflated', (pieces: Pieces) => deflated(pieces)],
  ['inflated', (pieces: Pieces) => inflated('deflate-raw', pieces)],
])('who stops reading what is %s closes its source, and a failure there is reported', async (_, through) => {
  let isClosed = false
  const random = Uint8Array.from({ length: 1 << 20 }, () => Math.random() * 256)
  const compressed = await gather(() => deflated(inPieces(random, 1 << 16)))
  const source: Pieces = async function* () {
    try {
      for (let at = 0; at < compressed.length; at += 1000) yield compressed.subarray(at, at + 1000)
    } finally {
      isClosed = true
    }
  }
  for await (const _piece of through(source)) break
  await expect.poll(() => isClosed).toBe(true)

  const failing: Pieces = async function* () {
    yield compressed.subarray(0, 1000)
    throw new Error('of the source')
  }
  await expect(gather(() => through(failing))).rejects.toThrow('of the source')
})
