/** Unpacks the archive of a package, which comes from anywhere, into its directory. */
import { dirname } from '../../../../src/fs/path.js'
import type { Bytes } from '../../../../src/fs/types.js'
import { byteCursor } from '../../../io/byte-cursor.js'
import type { ProgramIo } from '../../../io/program.js'
import { readerOf } from '../../../io/streams.js'
import { paddingAfter, readHeader } from '../../archives/tar/tar-format.js'
import { algorithms } from '../../data/digests/algorithms.js'
import { makeDirs } from '../../network/curl/curl.js'
import { gunzipped } from '../../network/decode-body.js'
import { ProgramError } from '../../program-error.js'
import { failure } from '../npm-failure.js'

const maxEntries = 100_000

/** Fails when it is not what was promised. The strongest of several digests counts. */
export function checkIntegrity(bytes: Bytes, integrity: string, of: string): void {
  const wanted = integrity
    .split(/\s+/)
    .map((each) => /^(sha512|sha384|sha256|sha1)-([A-Za-z0-9+/]+=*)/.exec(each))
    .flatMap((found) =>
      found === null ? [] : [{ name: found[1] as keyof typeof algorithms, digest: found[2] as string }],
    )
  const [best] = wanted.map(({ name }) => name).sort((one, other) => algorithms[other].bytes - algorithms[one].bytes)
  if (best === undefined) throw failure(`${of} has no digest that is known: ${integrity}`, 'EINTEGRITY')
  const hash = algorithms[best].create()
  hash.update(bytes)
  const found = btoa(String.fromCharCode(...hash.digest()))
  if (wanted.some(({ name, digest }) => name === best && digest === found)) return
  throw failure(
    `${best}-${wanted.find(({ name }) => name === best)?.digest} integrity checksum failed when using ${best}: wanted ${integrity} but got ${best}-${found}. (${bytes.length} bytes)`,
    'EINTEGRITY',
  )
}

/** The first directory of each name is left away, and so are links. Nothing is written outside of `directory`. */
export async function unpack(
  io: ProgramIo,
  { archive, directory, of }: { archive: Bytes; directory: string; of: string },
): Promise<void> {
  const plain = archive[0] === 0x1f ? gunzipped(io, archive) : archive
  if (plain === undefined) throw failure(`The archive of ${of} is damaged.`, 'TAR_BAD_ARCHIVE')
  const cursor = byteCursor(readerOf(plain))
  const made = new Set<string>()
  for (let count = 0; ; count += 1) {
    io.step()
    if (count > maxEntries)
      throw failure(`The archive of ${of} has more than ${maxEntries} entries.`, 'TAR_ENTRY_ERROR')
    const header = await headerOf(cursor, of)
    if (header === undefined) break
    const parts = header.name.split('/').filter((part) => part !== '' && part !== '.')
    const content = header.kind === 'file' ? await cursor.take(header.size) : new Uint8Array()
    if (header.kind === 'file') await cursor.skip(paddingAfter(header.size))
    if (parts.includes('..') || header.name.includes('\0')) {
      throw failure(`The archive of ${of} has a path that leads out of it: ${header.name}`, 'TAR_ENTRY_ERROR')
    }
    const inside = parts.slice(1)
    if (header.kind !== 'file' || inside.length === 0) continue
    const last = inside.at(-1) === '.gitignore' ? '.npmignore' : inside.at(-1)
    const path = [directory === '/' ? '' : directory, ...inside.slice(0, -1), last ?? ''].join('/')
    const above = dirname(path)
    if (!made.has(above)) await makeDirs(io, above)
    made.add(above)
    await io.fs.writeFile(path, content, { mode: header.mode & 0o111 ? 0o755 : 0o644 })
  }
}

async function headerOf(cursor: ReturnType<typeof byteCursor>, of: string) {
  try {
    return await readHeader(cursor)
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error
    throw failure(`The archive of ${of} is damaged.`, 'TAR_BAD_ARCHIVE')
  }
}
