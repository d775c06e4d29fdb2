/** bzip2 and xz of our own, compared with the libraries that Python has of them, in both directions and on data of real sizes. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { readerOf } from '../../bash/io/streams.js'
import { bzip2Pieces } from '../../bash/programs/archives/bzip2/compress.js'
import { bunzip2Pieces } from '../../bash/programs/archives/bzip2/decompress.js'
import { checkIds } from '../../bash/programs/archives/xz/checks.js'
import { xzPieces } from '../../bash/programs/archives/xz/compress.js'
import { unxzPieces } from '../../bash/programs/archives/xz/decompress.js'
import { seededRandom } from '../../src/text/seeded-random.js'
import { gitOfRepository, trackedFiles } from '../repository-files.js'
import { sample, seeded } from '../scale.js'

const meter = { account() {}, step() {} }

const codecs = {
  bz2: {
    pack: (bytes: Uint8Array, level: number) => bzip2Pieces(readerOf(bytes), level, meter),
    unpack: (bytes: Uint8Array) => bunzip2Pieces(readerOf(bytes), meter),
  },
  lzma: {
    pack: (bytes: Uint8Array, level: number) => xzPieces(readerOf(bytes), level, checkIds.crc64, meter),
    unpack: (bytes: Uint8Array) => unxzPieces(readerOf(bytes), meter),
  },
}

/** Runs a function of a Python module on several inputs: each is preceded by its length, and so is what comes out. */
function inPython(expression: string, inputs: readonly Uint8Array[]): Buffer[] {
  const program = `
import bz2, lzma, struct, sys
data = sys.stdin.buffer
while head := data.read(4):
    given = data.read(struct.unpack('<I', head)[0])
    made = ${expression}
    sys.stdout.buffer.write(struct.pack('<I', len(made)) + made)
`
  const input = Buffer.concat(inputs.flatMap((bytes) => [lengthOf(bytes), bytes]))
  const { status, stdout, stderr } = spawnSync('python3', ['-c', program], { input, maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(stderr.toString())
  const outputs: Buffer[] = []
  for (let at = 0; at < stdout.length; ) {
    const end = at + 4 + stdout.readUInt32LE(at)
    outputs.push(stdout.subarray(at + 4, end))
    at = end
  }
  return outputs
}

function lengthOf(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32LE(bytes.length)
  return head
}

async function collected(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece.slice())
  return Buffer.concat(all)
}

/** Files of this repository, all of it in one, noise, long runs, and nothing. */
function contents(): Buffer[] {
  const random = seededRandom(seeded(1))
  const byte = () => Math.floor(random() * 256)
  const files = sample([...trackedFiles({ maxBytes: 512 * 1024 })], { every: 100 }).map(({ bytes }) => bytes)
  const runs = Array.from({ length: 300 }, () => Buffer.alloc(1 + Math.floor(random() * 5000), byte()))
  const noise = Buffer.from(Uint8Array.from({ length: 200_000 }, byte))
  const large = gitOfRepository('archive', '--format=tar', 'HEAD', 'src/text', 'docs/decisions')
  return [Buffer.alloc(0), ...files, Buffer.concat(runs), noise, large]
}

test.each(['bz2', 'lzma'] as const)('%s: what each packs, the other unpacks', async (name) => {
  const { pack, unpack } = codecs[name]
  const plain = contents()
  const level = name === 'bz2' ? 'given, 9' : 'given, preset=6'
  const theirs = inPython(`${name}.compress(${level})`, plain)
  const ours: Buffer[] = []
  for (const [index, bytes] of plain.entries()) {
    const unpacked = await collected(unpack(theirs[index] as Buffer))
    expect(unpacked.equals(bytes), `unpacked ${index}, ${bytes.length} bytes`).toBe(true)
    ours.push(await collected(pack(bytes, 1 + (index % 9))))
  }
  const back = inPython(`${name}.decompress(given)`, ours)
  for (const [index, bytes] of plain.entries()) {
    expect(back[index]?.equals(bytes), `packed ${index}, ${bytes.length} bytes`).toBe(true)
  }
})

test.each(['bz2', 'lzma'] as const)('%s: damage is found before the end', async (name) => {
  const [file] = sample([...trackedFiles({ maxBytes: 64 * 1024 })].filter(({ bytes }) => bytes.length > 8192))
  const [packed] = inPython(`${name}.compress(given)`, [file?.bytes as Buffer]) as [Buffer]
  const random = seededRandom(seeded(2))
  for (let round = 0; round < 60; round += 1) {
    const at = Math.floor(random() * packed.length)
    const bad = Buffer.from(packed)
    bad[at] = (bad[at] as number) ^ (1 << Math.floor(random() * 8))
    const found = await collected(codecs[name].unpack(bad)).catch(() => undefined)
    // A few bits mean nothing: the padding of the last byte.
    expect(found === undefined || found.equals(file?.bytes as Buffer), `${file?.path}, byte ${at}`).toBe(true)
  }
})
