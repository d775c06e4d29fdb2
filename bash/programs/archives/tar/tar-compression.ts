/** The compression of tar archives: by option, by the name of the archive, or as the archive itself shows. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { ProgramIo } from '../../../io/program.js'
import type { ByteReader } from '../../../io/streams.js'
import { ProgramError } from '../../program-error.js'
import { afterChecks } from '../after-checks.js'
import { bunzip2ed, bzip2ed } from '../bzip2/bzip2.js'
import { isBzip2 } from '../bzip2/decompress.js'
import { BadData } from '../codec.js'
import { gunzipped, gzipped, isGzip } from '../compression.js'
import { checkIds } from '../xz/checks.js'
import { isXz } from '../xz/decompress.js'
import { unxzed, xzed } from '../xz/xz.js'
import type { TarArguments } from './tar-options.js'

export type Format = 'gzip' | 'bzip2' | 'xz'

const fatal = 2
const defaultLevels = { bzip2: 9, xz: 6 } as const
const childFailed = childStatus(1)

/** The format that an option names. */
export function givenFormat(given: TarArguments): Format | undefined {
  const key = given.last('gzip', 'bzip2', 'xz', 'program')
  return key === 'program' ? formatOfProgram(given.value('program') ?? '') : (key as Format | undefined)
}

/** The programs are those of this shell; their levels make no difference here. */
function formatOfProgram(command: string): Format {
  const [, name = '', options = ''] = /^\s*(?:\S*\/)?(\S+)\s*(.*)$/s.exec(command) ?? []
  if (options === '' || /^(-[1-9nkT0]+|--best|--fast|\s)*$/.test(options)) {
    if (name === 'gzip' || name === 'bzip2' || name === 'xz') return name
  }
  throw new ProgramError(`compression by '${command}' is not supported by this shell`, fatal)
}

export function formatToWrite(given: TarArguments, archive: string | undefined): Format | undefined {
  const format = givenFormat(given)
  if (format !== undefined || !given.has('autoCompress') || archive === undefined) return format
  if (/\.(gz|tgz|taz)$/.test(archive)) return 'gzip'
  if (/\.(bz2|tz2|tbz2|tbz)$/.test(archive)) return 'bzip2'
  if (/\.(xz|txz)$/.test(archive)) return 'xz'
  const [, suffix] = /\.(Z|taZ|lz|lzma|tlz|lzo|zst|tzst)$/.exec(archive) ?? []
  if (suffix === undefined) return undefined
  throw new ProgramError(`compression by the suffix '.${suffix}' is not supported by this shell`, fatal)
}

export function compressedAs(format: Format, reader: ByteReader, io: ProgramIo): ByteReader {
  if (format === 'gzip') return gzipped(reader, io)
  if (format === 'bzip2') return bzip2ed(reader, defaultLevels.bzip2, io)
  return xzed(reader, defaultLevels.xz, checkIds.crc64, io)
}

/** The format that the first bytes of an archive show. */
export function formatOf(start: Bytes): Format | undefined {
  if (isGzip(start)) return 'gzip'
  if (isBzip2(start)) return 'bzip2'
  return isXz(start) ? 'xz' : undefined
}

/** What an archive contains. An option names the only format that it may have. `again` opens the archive once more. */
export async function plainReader(
  reader: ByteReader,
  start: Bytes,
  { given, io, again }: { given: TarArguments; io: ProgramIo; again: (() => Promise<ByteReader>) | undefined },
): Promise<ByteReader> {
  const format = formatOf(start)
  const wanted = givenFormat(given)
  if (wanted !== undefined && wanted !== format) {
    const { message, status } = start.length === 0 ? tooShort[wanted] : wrongFormat[wanted]
    await io.stderr.write(`${message}\n`)
    throw new ProgramError(childStatus(status), fatal)
  }
  // The real one looks at files only.
  if (wanted === undefined && format !== undefined && again === undefined) {
    throw new ProgramError(
      `Archive is compressed. Use ${optionOf[format]} option\ntar: Error is not recoverable: exiting now`,
      fatal,
    )
  }
  if (format === 'gzip') return translated(gunzipped(reader, childFailed, io, { again }))
  if (format !== undefined) {
    const plain = (packed: ByteReader) => translated(format === 'bzip2' ? bunzip2ed(packed, io) : unxzed(packed, io))
    return afterChecks(plain(reader), io, again && (async () => plain(await again())))
  }
  if (start[0] === 0x28 && start[1] === 0xb5 && start[2] === 0x2f && start[3] === 0xfd) {
    throw new ProgramError('archives compressed by zstd are not supported by this shell', fatal)
  }
  return reader
}

const optionOf: Readonly<Record<Format, string>> = { gzip: '-z', bzip2: '-j', xz: '-J' }

/** What the program for a format says, and its status. */
const wrongFormat: Readonly<Record<Format, { message: string; status: number }>> = {
  gzip: { message: '\ngzip: stdin: not in gzip format', status: 1 },
  bzip2: { message: 'bzip2: (stdin) is not a bzip2 file.', status: 2 },
  xz: { message: 'xz: (stdin): File format not recognized', status: 1 },
}

const tooShort: typeof wrongFormat = {
  gzip: { message: '\ngzip: stdin: unexpected end of file', status: 1 },
  bzip2: {
    message: 'bzip2: Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows.',
    status: 2,
  },
  xz: { message: 'xz: (stdin): File format not recognized', status: 1 },
}

function childStatus(status: number): string {
  return `Child returned status ${status}\ntar: Error is not recoverable: exiting now`
}

function translated(reader: ByteReader): ByteReader {
  return {
    ...reader,
    async read() {
      try {
        return await reader.read()
      } catch (error) {
        const isDamaged = error instanceof BadData || (error instanceof ProgramError && error.message === childFailed)
        throw isDamaged ? new ProgramError(childFailed, fatal) : error
      }
    },
  }
}
