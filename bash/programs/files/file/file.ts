/** Says what kind of data a file holds. */
import type { Bytes, Stat } from '../../../../src/fs/types.js'
import { decodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import { isPipe } from '../../../io/named-pipes.js'
import type { ProgramIo } from '../../../io/program.js'
import { concat, readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { textWidth } from '../../text/common/char-width.js'
import { binaryType } from './binary-types.js'
import type { FileType } from './file-type.js'
import { textType } from './text-types.js'

const options = {
  brief: { names: ['-b', '--brief'] },
  mime: { names: ['-i', '--mime'] },
  mimeType: { names: ['--mime-type'] },
  mimeEncoding: { names: ['--mime-encoding'] },
  dereference: { names: ['-L', '--dereference'] },
  noDereference: { names: ['-h', '--no-dereference'] },
  filesFrom: { names: ['-f', '--files-from'], value: 'required' },
  separator: { names: ['-F', '--separator'], value: 'required' },
  noPad: { names: ['-N', '--no-pad'] },
  print0: { names: ['-0', '--print0'] },
  noBuffer: { names: ['-n', '--no-buffer'] },
  preserveDate: { names: ['-p', '--preserve-date'] },
  raw: { names: ['-r', '--raw'] },
  special: { names: ['-s', '--special-files'] },
  noSandbox: { names: ['-S', '--no-sandbox'] },
  error: { names: ['-E'] },
} as const

type Given = ParsedArguments<typeof options>

const deviceNumbers = new Map([
  ['/dev/null', '1/3'],
  ['/dev/zero', '1/5'],
  ['/dev/full', '1/7'],
  ['/dev/random', '1/8'],
  ['/dev/urandom', '1/9'],
])

/** How much of a file is looked at. */
const lookedAt = 1024 * 1024

export const file = defineProgram({
  name: 'file',
  usage: '[OPTION...] [FILE...]',
  usageHint: 'Usage: file [OPTION...] [FILE...]',
  options,
  unsupported: [
    '-C',
    '--compile',
    '-c',
    '--checking-printout',
    '-d',
    '--debug',
    '-e',
    '--exclude',
    '--exclude-quiet',
    '--extension',
    '--apple',
    '-k',
    '--keep-going',
    '-l',
    '--list',
    '-m',
    '--magic-file',
    '-P',
    '--parameter',
    '-z',
    '--uncompress',
    '-Z',
    '--uncompress-noreport',
  ],
  async run(io, given) {
    const paths = await pathsOf(io, given)
    if (paths.length === 0) throw new ProgramError('Usage: file [-bhiL] FILE...')
    const width = Math.max(...paths.map(textWidth))
    const separator = given.value('separator') ?? ':'
    let status = 0
    for (const path of paths) {
      const type = await typeOf(io, path, given)
      if (type === undefined) {
        status = 1
        continue
      }
      const pad = given.has('noPad') ? '' : ' '.repeat(width - textWidth(path))
      const shown = path === '-' ? '/dev/stdin' : path
      const name = given.has('print0') ? `${shown}\0` : shown
      await io.stdout.write(given.has('brief') ? `${type}\n` : `${name}${separator}${pad} ${type}\n`)
    }
    return status
  },
})

async function pathsOf(io: ProgramIo, given: Given): Promise<string[]> {
  const list = given.value('filesFrom')
  if (list === undefined) return [...given.operands]
  const text = decodeText(await readAll(list === '-' ? io.stdin : await io.fs.openRead(list)))
  const names = text.split('\n')
  if (names.at(-1) === '') names.pop()
  return [...names, ...given.operands]
}

async function typeOf(io: ProgramIo, path: string, given: Given): Promise<string | undefined> {
  const shown = (type: FileType, mimeOnly = false) => shownType(type, given, mimeOnly)
  if (path === '-') return shown(typeOfBytes(await head(io), io))
  let stat: Stat
  try {
    stat = await io.fs.lstat(path)
  } catch (error) {
    const reason = describeError(error)
    if (given.has('error')) {
      await io.error(`cannot stat \`${path}' (${reason})`)
      return undefined
    }
    return `cannot open \`${path}' (${reason})`
  }
  if (stat.kind === 'symlink') {
    const target = await io.fs.readLink(path)
    const reached = await io.fs.stat(path).catch(() => undefined)
    if (reached === undefined) return shown({ text: `broken symbolic link to ${target}`, mime: 'inode/symlink' }, true)
    const follows = given.last('dereference', 'noDereference') === 'dereference'
    if (!follows) return shown({ text: `symbolic link to ${target}`, mime: 'inode/symlink' })
    stat = reached
  }
  if (stat.kind === 'directory') return shown({ text: 'directory', mime: 'inode/directory' })
  if (isPipe(stat)) return shown({ text: 'fifo (named pipe)', mime: 'inode/fifo' })
  if (stat.kind === 'other') {
    const numbers = deviceNumbers.get(path)
    return shown({ text: `character special${numbers === undefined ? '' : ` (${numbers})`}`, mime: 'inode/chardevice' })
  }
  if (stat.size === 0) return shown({ text: 'empty', mime: 'inode/x-empty' })
  try {
    return shown(typeOfBytes(await io.fs.readFile(path, { start: 0, end: lookedAt }), io))
  } catch (error) {
    return `cannot open \`${path}' (${describeError(error)})`
  }
}

async function head(io: ProgramIo): Promise<Bytes> {
  const pieces: Bytes[] = []
  let size = 0
  while (size < lookedAt) {
    const piece = await io.stdin.read()
    if (piece === undefined) break
    pieces.push(piece)
    size += piece.length
  }
  const bytes = concat(pieces)
  io.stdin.unread(bytes.subarray(lookedAt))
  return bytes.subarray(0, lookedAt)
}

function shownType({ text, mime, encoding = 'binary' }: FileType, given: Given, mimeOnly: boolean): string {
  const last = given.last('mime', 'mimeType', 'mimeEncoding')
  if (last === 'mimeType') return mime
  if (last === 'mimeEncoding') return encoding
  if (last === 'mime') return mimeOnly ? mime : `${mime}; charset=${encoding}`
  return text
}

function typeOfBytes(bytes: Bytes, io: ProgramIo): FileType {
  if (bytes.length === 0) return { text: 'empty', mime: 'inode/x-empty' }
  if (bytes.length === 1) return { text: 'very short file (no magic)', mime: 'application/octet-stream' }
  const found = binaryType(bytes, io) ?? textType(bytes)
  return found ?? { text: 'data', mime: 'application/octet-stream' }
}
