/** Archives of this repository's files, as Python makes them, with one bit changed: the same bytes come out, or an error. */
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { byteCursor } from '../../../bash/io/byte-cursor.js'
import { type ByteReader, readerOf } from '../../../bash/io/streams.js'
import { afterChecks } from '../../../bash/programs/archives/after-checks.js'
import { bunzip2ed } from '../../../bash/programs/archives/bzip2/bzip2.js'
import { gunzipped } from '../../../bash/programs/archives/compression.js'
import { paddingAfter, readHeader } from '../../../bash/programs/archives/tar/tar-format.js'
import { unxzed } from '../../../bash/programs/archives/xz/xz.js'
import { ProgramError } from '../../../bash/programs/program-error.js'
import { openArchive, readArchive } from '../../../src/archive/read-archive.js'
import { unpacked } from '../../../src/archive/zip-fs.js'
import { FsError } from '../../../src/errors.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { seededRandom } from '../../../src/text/seeded-random.js'
import { trackedFiles } from '../../repository-files.js'
import { sample, scaled, seeded } from '../../scale.js'

const random = seededRandom(seeded(71))
const meter = { account() {}, step() {} }

/** Some files, small ones and one that takes several pieces. */
const files = (() => {
  const all = [...trackedFiles({ maxBytes: 200_000 })]
  const some = Array.from({ length: 6 }, () => all[Math.floor(random() * all.length)]).filter(
    (file) => file !== undefined,
  )
  const large = all.find(({ bytes }) => bytes.length > 100_000)
  return new Map([...some, ...(large ? [large] : [])].map(({ path, bytes }) => [path, bytes]))
})()

const python = `
import base64, bz2, gzip, hashlib, io, json, lzma, struct, sys, tarfile, zipfile
def unpacked_tar(data):
    with tarfile.open(fileobj=io.BytesIO(data), mode='r:') as t:
        return [[m.name, base64.b64encode(t.extractfile(m).read()).decode()] for m in t.getmembers() if m.isfile()]
def made(files):
    joined = b''.join(data for _, data in files)
    plain, tape = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(plain, 'w', zipfile.ZIP_DEFLATED) as z:
        for index, (name, data) in enumerate(files):
            z.writestr(zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6)), data, [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED][index % 3 == 2])
    with tarfile.open(fileobj=tape, mode='w:') as t:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    parts = [data for _, data in files]
    return {'zip': plain.getvalue(), 'tar': tape.getvalue(), 'gz': b''.join(gzip.compress(one, mtime=0) for one in parts),
        'bz2': b''.join(bz2.compress(one) for one in parts), 'xz': lzma.compress(joined), 'xz32': lzma.compress(joined, check=lzma.CHECK_CRC32)}
given = json.load(sys.stdin)
if given['do'] == 'make':
    print(json.dumps({kind: base64.b64encode(data).decode() for kind, data in made([(name, base64.b64decode(data)) for name, data in given['files']]).items()}))
else:
    found = []
    for data in given['archives']:
        try: found.append(unpacked_tar(base64.b64decode(data)))
        except Exception as error: found.append(None)
    print(json.dumps(found))
`

function inPython(given: unknown): unknown {
  const input = JSON.stringify(given)
  return JSON.parse(execFileSync('python3', ['-c', python], { input, maxBuffer: 1 << 30 }).toString())
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const made = inPython({ do: 'make', files: [...files].map(([name, bytes]) => [name, base64(bytes)]) }) as Record<
  string,
  string
>
const archive = (kind: string) => Buffer.from(made[kind] ?? '', 'base64')
const joined = Buffer.concat([...files.values()])

/** Archives with one bit changed, some of them where the format has its own fields: at the beginning and at the end. */
function flipped(whole: Uint8Array, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => {
    const reach = index % 3 === 0 ? Math.min(whole.length, 600) : whole.length
    const from = Math.floor(random() * reach)
    const at = index % 6 === 0 ? whole.length - 1 - from : from
    const bytes = Uint8Array.from(whole)
    bytes[at] = (bytes[at] as number) ^ (1 << Math.floor(random() * 8))
    return bytes
  })
}

/** Everything that came out, and whether it ended without an error. Errors have to be those of a program or of the library. */
async function outcome(run: () => AsyncGenerator<Uint8Array>): Promise<{ out: Buffer; isWhole: boolean }> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of run()) pieces.push(piece.slice())
    return { out: Buffer.concat(pieces), isWhole: true }
  } catch (error) {
    if (!(error instanceof ProgramError || (error instanceof FsError && error.code !== 'INTERNAL'))) throw error
    return { out: Buffer.concat(pieces), isWhole: false }
  }
}

async function* piecesOf(reader: ByteReader): AsyncGenerator<Uint8Array> {
  for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) yield chunk
}

describe('a compressed stream gives nothing that was not in it', () => {
  const again = (bytes: Uint8Array) => async () => readerOf(bytes)
  const gunzip = (isVirtual: boolean) => (bytes: Uint8Array) =>
    gunzipped(readerOf(bytes), 'damaged', { clock: { isVirtual } as never, ...meter }, { again: again(bytes) })
  const readers: Record<string, [kind: string, open: (bytes: Uint8Array) => ByteReader]> = {
    gzip: ['gz', gunzip(false)],
    'gzip where runs can be repeated': ['gz', gunzip(true)],
    bzip2: ['bz2', (bytes) => afterChecks(bunzip2ed(readerOf(bytes), meter), meter)],
    xz: ['xz', (bytes) => afterChecks(unxzed(readerOf(bytes), meter), meter)],
    'xz with CRC-32': ['xz32', (bytes) => afterChecks(unxzed(readerOf(bytes), meter), meter)],
  }

  test.each(sample(Object.entries(readers), { every: 2 }))('%s', async (_name, [kind, open]) => {
    const whole = archive(kind)
    expect(await outcome(() => piecesOf(open(whole)))).toEqual({ out: joined, isWhole: true })
    let refused = 0
    const damaged = flipped(whole, scaled(100))
    for (const bytes of damaged) {
      const { out, isWhole } = await outcome(() => piecesOf(open(bytes)))
      expect(Buffer.compare(out, joined.subarray(0, out.length))).toBe(0)
      if (isWhole) expect(out.length).toBe(joined.length)
      else refused += 1
    }
    expect(refused).toBeGreaterThan(damaged.length / 2)
  })

  test('larger than what is held, which is read twice', async () => {
    const large = new Uint8Array(20 * 1024 * 1024)
    for (let at = 0; at < large.length; at += 4096) large[at] = at >> 12
    const packed = execFileSync('gzip', ['-1'], { input: large, maxBuffer: 1 << 28 })
    const good = await outcome(() => piecesOf(gunzip(false)(packed)))
    expect([good.isWhole, Buffer.compare(good.out, large)]).toEqual([true, 0])
    const damaged = Uint8Array.from(packed)
    damaged[packed.length - 6] = (damaged[packed.length - 6] as number) ^ 1
    expect(await outcome(() => piecesOf(gunzip(false)(damaged)))).toEqual({ out: Buffer.alloc(0), isWhole: false })
  })
})

describe('a zip archive gives files that were in it, or none', () => {
  const ways: Record<string, (bytes: Uint8Array) => Promise<ReadonlyMap<string, Uint8Array>>> = {
    'read whole': async (bytes) => {
      const read = await readArchive(bytes)
      return new Map(read.files.map(({ path, bytes = new Uint8Array() }) => [path, bytes]))
    },
    'read in pieces': async (bytes) => {
      const opened = await openArchive(bytes)
      const found = new Map<string, Uint8Array>()
      for (const entry of opened.entries) {
        const { out, isWhole } = await outcome(() => opened.pieces(entry)() as AsyncGenerator<Uint8Array>)
        if (!isWhole) throw new FsError('BAD_ARCHIVE', { reason: 'damaged' })
        found.set(entry.path, out)
      }
      return found
    },
    'as a tree': async (bytes) => treeOf(await unpacked(bytes), [...files.keys()]),
  }

  async function treeOf(fs: Pick<FileSystem, 'readFile'>, names: readonly string[]) {
    const found = new Map<string, Uint8Array>()
    for (const name of names) {
      const bytes = await fs.readFile(`/${name}`).catch(() => undefined)
      if (bytes !== undefined) found.set(name, bytes)
    }
    return found
  }

  test.each(Object.entries(ways))('%s', async (_name, read) => {
    const whole = archive('zip')
    expect([...(await read(whole)).keys()].sort()).toEqual([...files.keys()].sort())
    for (const bytes of flipped(whole, scaled(250))) {
      const found = await read(bytes).catch((error: unknown) => {
        if (error instanceof FsError && error.code !== 'INTERNAL') return undefined
        throw error
      })
      for (const [name, content] of found ?? []) {
        expect([name, Buffer.compare(content, files.get(name) ?? Buffer.alloc(0))]).toEqual([name, 0])
      }
    }
  })
})

test('a tar archive gives what Python finds in it, or an error', async () => {
  const whole = archive('tar')
  // The checksum is the one field that no checksum covers.
  const inChecksum = Array.from({ length: 64 }, (_, bit) => {
    const bytes = Uint8Array.from(whole)
    bytes[148 + (bit >> 3)] = (bytes[148 + (bit >> 3)] as number) ^ (1 << (bit & 7))
    return bytes
  })
  const damaged = [...flipped(whole, scaled(250)), ...inChecksum]
  const theirs = inPython({ do: 'read', archives: damaged.map(base64) }) as ([string, string][] | null)[]
  for (const [index, bytes] of damaged.entries()) {
    const ours: [string, string][] = []
    const cursor = byteCursor(readerOf(bytes))
    try {
      for (let header = await readHeader(cursor); header !== undefined; header = await readHeader(cursor)) {
        const content = await cursor.take(header.size)
        if (header.kind === 'file') ours.push([header.name, base64(content)])
        await cursor.skip(paddingAfter(header.size))
      }
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error
      continue
    }
    expect(ours).toEqual(theirs[index])
  }
})
