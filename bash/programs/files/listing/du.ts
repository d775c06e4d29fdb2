/** How much space files take. */

import type { Stat } from '../../../../src/fs/types.js'
import { entryOf } from '../../../../src/text/entry-of.js'
import { decodeText } from '../../../io/byte-text.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { accessedOf, allocatedOf, below, changedOf, entryPath, modifiedOf, sizeOf } from '../shared/facts.js'
import { namePattern } from '../shared/name-pattern.js'
import { blockSizeStyle, parseSize, type SizeStyle, sizeText } from '../shared/sizes.js'
import { timeText } from '../shared/times.js'
import { usageError } from '../shared/usage.js'

const options = {
  null: { names: ['-0', '--null'] },
  all: { names: ['-a', '--all'] },
  apparent: { names: ['--apparent-size'] },
  blockSize: { names: ['-B', '--block-size'], value: 'required' },
  bytes: { names: ['-b', '--bytes'] },
  total: { names: ['-c', '--total'] },
  dereferenceArgs: { names: ['-D', '-H', '--dereference-args'] },
  maxDepth: { names: ['-d', '--max-depth'], value: 'required' },
  files0: { names: ['--files0-from'], value: 'required' },
  human: { names: ['-h', '--human-readable'] },
  inodes: { names: ['--inodes'] },
  kilo: { names: ['-k'] },
  dereference: { names: ['-L', '--dereference'] },
  countLinks: { names: ['-l', '--count-links'] },
  mega: { names: ['-m'] },
  noDereference: { names: ['-P', '--no-dereference'] },
  separate: { names: ['-S', '--separate-dirs'] },
  si: { names: ['--si'] },
  summarize: { names: ['-s', '--summarize'] },
  threshold: { names: ['-t', '--threshold'], value: 'required' },
  time: { names: ['--time'], value: 'optional' },
  timeStyle: { names: ['--time-style'], value: 'required' },
  excludeFrom: { names: ['-X', '--exclude-from'], value: 'required' },
  exclude: { names: ['--exclude'], value: 'required' },
  oneFileSystem: { names: ['-x', '--one-file-system'] },
} as const

type Given = ParsedArguments<typeof options>

/** What a file or directory amounts to. */
interface Usage {
  bytes: number
  newest: number
}

interface Work {
  io: ProgramIo
  given: Given
  style: SizeStyle
  isApparent: boolean
  maxDepth: number
  threshold: number
  time?: (stat: Stat) => number
  timeFormat: string
  isExcluded(path: string): boolean
  seen: Set<string>
  status: number
}

export const du = defineProgram({
  name: 'du',
  usage: '[OPTION]... [FILE]...',
  options,
  async run(io, given) {
    const work = await workOf(io, given)
    const paths = await operandsOf(io, given)
    let total: Usage = { bytes: 0, newest: 0 }
    for (const path of paths) {
      const usage = await measure(work, path, 0, await entryPath(io, path))
      if (usage !== undefined) total = sum(total, usage)
    }
    if (given.has('total')) await print(work, total, 'total')
    return work.status
  },
})

async function operandsOf(io: ProgramIo, given: Given): Promise<readonly string[]> {
  const list = given.value('files0')
  if (list === undefined) return given.operands.length > 0 ? given.operands : ['.']
  const [extra] = given.operands
  if (extra !== undefined)
    throw usageError(io, `extra operand ${quotedName(extra)}\nfile operands cannot be combined with --files0-from`)
  const bytes = await readAll(list === '-' ? io.stdin : await io.fs.openRead(list))
  return decodeText(bytes)
    .split('\0')
    .filter((path) => path !== '')
}

async function workOf(io: ProgramIo, given: Given): Promise<Work> {
  const depth = given.value('maxDepth')
  if (depth !== undefined && !/^\d+$/.test(depth)) throw usageError(io, `invalid maximum depth ${quoted(depth)}`)
  if (given.has('summarize') && given.has('all')) throw usageError(io, 'cannot both summarize and show all entries')
  if (given.has('summarize') && depth !== undefined && Number(depth) > 0) {
    throw usageError(io, `warning: summarizing conflicts with --max-depth=${depth}`)
  }
  const times = { atime: accessedOf, access: accessedOf, use: accessedOf, ctime: changedOf, status: changedOf }
  const timeWord = given.value('time')
  if (timeWord !== undefined && !Object.hasOwn(times, timeWord) && !['mtime', 'modification'].includes(timeWord)) {
    throw usageError(io, `invalid argument ${quoted(timeWord)} for ${quoted('--time')}`)
  }
  return {
    io,
    given,
    style: given.has('inodes') ? { unit: 1 } : styleOf(io, given),
    isApparent: given.has('apparent') || given.has('bytes'),
    maxDepth: given.has('summarize') ? 0 : depth === undefined ? Number.POSITIVE_INFINITY : Number(depth),
    threshold: thresholdOf(given.value('threshold')),
    ...(given.has('time') && { time: times[timeWord as keyof typeof times] ?? modifiedOf }),
    timeFormat: timeFormatOf(given.value('timeStyle') ?? 'long-iso'),
    isExcluded: excluder([...given.values('exclude'), ...(await patternsFrom(io, given.values('excludeFrom')))]),
    seen: new Set(),
    status: 0,
  }
}

function styleOf(io: ProgramIo, given: Given): SizeStyle {
  const last = given.last('blockSize', 'bytes', 'human', 'kilo', 'mega', 'si')
  if (last === 'human') return { base: 1024, unit: 1 }
  if (last === 'si') return { base: 1000, unit: 1 }
  if (last === 'bytes') return { unit: 1 }
  if (last === 'mega') return { unit: 1024 * 1024 }
  if (last === 'blockSize') return blockSizeStyle(given.value('blockSize') ?? '')
  const fromEnvironment = io.env.get('DU_BLOCK_SIZE') ?? io.env.get('BLOCK_SIZE')
  return fromEnvironment && last === undefined ? blockSizeStyle(fromEnvironment) : { unit: 1024 }
}

function thresholdOf(text: string | undefined): number {
  if (text === undefined) return 0
  const size = parseSize(text.replace(/^-/, ''))
  if (size === undefined || (size === 0 && text.startsWith('-'))) {
    throw new ProgramError(`invalid --threshold argument '${text}'`)
  }
  return text.startsWith('-') ? -size : size
}

function timeFormatOf(style: string): string {
  if (style.startsWith('+')) return style.slice(1)
  const formats: Readonly<Record<string, string>> = {
    'full-iso': '%Y-%m-%d %H:%M:%S.%N %z',
    'long-iso': '%Y-%m-%d %H:%M',
    iso: '%Y-%m-%d',
  }
  const format = entryOf(formats, style)
  if (format === undefined) throw new ProgramError(`invalid argument ${quoted(style)} for ${quoted('time style')}`)
  return format
}

async function patternsFrom(io: ProgramIo, paths: readonly string[]): Promise<string[]> {
  const patterns: string[] = []
  for (const path of paths) {
    const text = decodeText(await readAll(path === '-' ? io.stdin : await io.fs.openRead(path)))
    patterns.push(...text.split('\n').filter((line) => line !== ''))
  }
  return patterns
}

/** A pattern matches a whole path, or what follows any of its slashes. */
function excluder(patterns: readonly string[]): (path: string) => boolean {
  if (patterns.length === 0) return () => false
  const matchers = patterns.map((pattern) => namePattern(pattern))
  return (path) => {
    const parts = path.split('/')
    return parts.some((_, index) => {
      const rest = parts.slice(index).join('/')
      return matchers.some((matches) => matches(rest))
    })
  }
}

function sum(a: Usage, b: Usage): Usage {
  return { bytes: a.bytes + b.bytes, newest: Math.max(a.newest, b.newest) }
}

/** `entry`: its real path, of the link itself when it is one. */
async function measure(work: Work, path: string, depth: number, entry: string): Promise<Usage | undefined> {
  const { io, given, time } = work
  io.step()
  if (work.isExcluded(path)) return undefined
  const rule = given.last('dereference', 'dereferenceArgs', 'noDereference')
  const follows = rule === 'dereference' || (depth === 0 && rule === 'dereferenceArgs')
  let stat: Stat
  try {
    stat = await (follows ? io.fs.stat(path) : io.fs.lstat(path))
  } catch (error) {
    await fail(work, `cannot access ${quotedName(path)}: ${describeError(error)}`)
    return undefined
  }
  const real = follows ? await io.fs.realPath(path) : entry
  if (work.seen.has(real)) return undefined
  work.seen.add(real)
  io.account(real.length * 2)
  const own: Usage = { bytes: await sizeHere(work, path, stat), newest: time?.(stat) ?? 0 }
  if (stat.kind !== 'directory') {
    if (depth === 0 || (given.has('all') && depth <= work.maxDepth)) await print(work, own, path)
    return own
  }
  const { all, files } = await measureInside(work, path, depth, own, real)
  if (depth <= work.maxDepth) await print(work, given.has('separate') ? files : all, path)
  return all
}

async function sizeHere({ io, given, isApparent }: Work, path: string, stat: Stat): Promise<number> {
  if (given.has('inodes')) return 1
  if (!isApparent) return allocatedOf(stat)
  return sizeOf(stat, stat.kind === 'symlink' ? await io.fs.readLink(path) : '')
}

/** `files`: without subdirectories. */
async function measureInside(
  work: Work,
  path: string,
  depth: number,
  own: Usage,
  real: string,
): Promise<{ all: Usage; files: Usage }> {
  let all = own
  let files = own
  try {
    for (const { name, kind } of await work.io.fs.readDir(path)) {
      const usage = await measure(work, below(path, name), depth + 1, below(real, name))
      if (usage === undefined) continue
      all = sum(all, usage)
      if (kind !== 'directory') files = sum(files, usage)
    }
  } catch (error) {
    await fail(work, `cannot read directory ${quotedName(path)}: ${describeError(error)}`)
  }
  return { all, files }
}

async function fail(work: Work, message: string): Promise<void> {
  await work.io.error(message)
  work.status = 1
}

async function print(
  { io, given, style, threshold, time, timeFormat }: Work,
  { bytes, newest }: Usage,
  name: string,
): Promise<void> {
  if (threshold >= 0 ? bytes < threshold : bytes > -threshold) return
  const when = time === undefined ? '' : `\t${timeText(io, newest, timeFormat)}`
  await io.stdout.write(`${sizeText(bytes, style)}${when}\t${name}${given.has('null') ? '\0' : '\n'}`)
}
