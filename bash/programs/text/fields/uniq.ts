/** Leaves out or reports repeated lines that follow each other. */
import type { Bytes } from '../../../../src/fs/types.js'
import type { Output, ProgramIo } from '../../../io/program.js'
import { lineBatches } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import type { ParsedArguments } from '../../options.js'
import { ProgramError } from '../../program-error.js'
import { quoted } from '../../quoting.js'
import { ByteOutput } from '../common/byte-output.js'
import { misuse, refuseExtra, requireInput } from '../common/inputs.js'
import { compareBytes, toUpper, withoutDelimiter } from '../common/line-reader.js'

const options = {
  count: { names: ['-c', '--count'] },
  repeated: { names: ['-d', '--repeated'] },
  allRepeatedShort: { names: ['-D'] },
  allRepeated: { names: ['--all-repeated'], value: 'optional' },
  skipFields: { names: ['-f', '--skip-fields'], value: 'required' },
  group: { names: ['--group'], value: 'optional' },
  ignoreCase: { names: ['-i', '--ignore-case'] },
  skipChars: { names: ['-s', '--skip-chars'], value: 'required' },
  unique: { names: ['-u', '--unique'] },
  checkChars: { names: ['-w', '--check-chars'], value: 'required' },
  zero: { names: ['-z', '--zero-terminated'] },
} as const

type Given = ParsedArguments<typeof options>

interface Group {
  first: Bytes
  key: Bytes
  count: number
}

/** What to do with the lines, group by group. */
interface Reporter {
  /** Each line, with its position in its group from 1. */
  line?(line: Bytes, position: number): void
  groupEnd?(group: Group): void
  end?(): void
}

export const uniq = defineProgram({
  name: 'uniq',
  usage: '[OPTION]... [INPUT [OUTPUT]]',
  options,
  rewrite: (args) => args.flatMap((arg) => historic(arg)),
  async run(io, given) {
    refuseExtra(io, given.operands, 2)
    refuseContradictions(io, given)
    const [name = '-', outputName = '-'] = given.operands
    const reader = await requireInput(io, name)
    const file = outputName === '-' ? undefined : await io.fs.openWrite(outputName)
    const target: Pick<Output, 'write'> =
      file === undefined ? io.stdout : { write: (data) => file.write(data as Bytes) }
    const output = new ByteOutput(target)
    const delimiter = given.has('zero') ? 0 : 10
    const report = reporter(given, output, delimiter)
    const keyOf = keyFinder(given)
    let group: Group | undefined
    for await (const lines of lineBatches(reader, delimiter)) {
      for (const whole of lines) {
        const line = withoutDelimiter(whole, delimiter)
        const key = keyOf(line)
        if (group !== undefined && compareBytes(group.key, key) === 0) group.count += 1
        else {
          if (group !== undefined) report.groupEnd?.(group)
          group = { first: line, key, count: 1 }
        }
        report.line?.(line, group.count)
      }
      if (output.isFull) await output.drain()
    }
    if (group !== undefined) report.groupEnd?.(group)
    report.end?.()
    await output.flush()
    await file?.close()
    return 0
  },
})

/** `uniq -1` skips a field, `uniq +1` a character. */
function historic(arg: string): string[] {
  if (/^-\d+$/.test(arg)) return ['-f', arg.slice(1)]
  if (/^\+\d+$/.test(arg)) return ['-s', arg.slice(1)]
  return [arg]
}

function refuseContradictions(io: ProgramIo, given: Given): void {
  const isAll = given.has('allRepeated') || given.has('allRepeatedShort')
  if (given.has('group') && (given.has('count') || given.has('repeated') || given.has('unique') || isAll)) {
    throw misuse(io, '--group is mutually exclusive with -c/-d/-D/-u')
  }
  if (isAll && given.has('count')) {
    throw misuse(io, 'printing all duplicated lines and repeat counts is meaningless')
  }
}

function keyFinder(given: Given): (line: Bytes) => Bytes {
  const fields = amount(given.value('skipFields'), 'invalid number of fields to skip') ?? 0
  const characters = amount(given.value('skipChars'), 'invalid number of bytes to skip') ?? 0
  const most = amount(given.value('checkChars'), 'invalid number of bytes to compare') ?? Number.POSITIVE_INFINITY
  const ignoresCase = given.has('ignoreCase')
  if (fields === 0 && characters === 0 && most === Number.POSITIVE_INFINITY) {
    return ignoresCase ? toUpper : (line) => line
  }
  return (line) => {
    let at = 0
    for (let field = 0; field < fields && at < line.length; field += 1) {
      while (at < line.length && isBlank(line[at])) at += 1
      while (at < line.length && !isBlank(line[at])) at += 1
    }
    at = Math.min(line.length, at + characters)
    const key = line.subarray(at, Math.min(line.length, at + most))
    return ignoresCase ? toUpper(key) : key
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 32 || byte === 9 || byte === 10
}

function amount(text: string | undefined, what: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^\s*\+?\d+$/.test(text)) throw new ProgramError(`${text}: ${what}`)
  return Number(text)
}

function reporter(given: Given, output: ByteOutput, delimiter: number): Reporter {
  const write = (line: Bytes) => {
    output.bytes(line)
    output.byte(delimiter)
  }
  if (given.has('group')) {
    return groupReporter(
      method('group', given.value('group'), ['prepend', 'append', 'separate', 'both'], 'separate'),
      write,
      () => output.byte(delimiter),
    )
  }
  const repeats = given.given.filter(({ key }) => key === 'allRepeated' || key === 'allRepeatedShort').at(-1)
  if (repeats !== undefined) {
    const how = method('all-repeated', repeats.value, ['none', 'prepend', 'separate'], 'none')
    return repeatReporter(how, given.has('unique'), write, () => output.byte(delimiter))
  }
  const showsUnique = !given.has('repeated')
  const showsRepeated = !given.has('unique')
  return {
    groupEnd({ first, count }) {
      if (count === 1 ? !showsUnique : !showsRepeated) return
      if (given.has('count')) output.ascii(`${String(count).padStart(7)} `)
      write(first)
    },
  }
}

function method(option: string, value: string | undefined, known: readonly string[], usual: string): string {
  if (value === undefined) return usual
  const matching = known.includes(value) ? [value] : known.filter((name) => name.startsWith(value))
  const [only] = matching
  if (only !== undefined && matching.length === 1) return only
  const list = known.map((name) => `\n  - ${quoted(name)}`).join('')
  const reason = matching.length > 1 ? 'ambiguous' : 'invalid'
  throw new ProgramError(
    `${reason} argument ${quoted(value)} for ${quoted(`--${option}`)}\nValid arguments are:${list}\nTry 'uniq --help' for more information.`,
  )
}

/** All lines, with empty lines around groups. */
function groupReporter(how: string, write: (line: Bytes) => void, blank: () => void): Reporter {
  let isFirst = true
  return {
    line(line, position) {
      if (position === 1 && (isFirst ? how === 'prepend' || how === 'both' : true)) blank()
      isFirst = false
      write(line)
    },
    end() {
      if (!isFirst && (how === 'append' || how === 'both')) blank()
    },
  }
}

/** All lines of groups that have more than one. */
function repeatReporter(
  how: string,
  leavesOutLast: boolean,
  write: (line: Bytes) => void,
  blank: () => void,
): Reporter {
  let isFirst = true
  let held: Bytes | undefined
  return {
    line(line, position) {
      if (position === 1) {
        held = line
        return
      }
      if (position === 2) {
        if (how === 'prepend' || (how === 'separate' && !isFirst)) blank()
        isFirst = false
      }
      if (held !== undefined) write(held)
      held = leavesOutLast ? line : undefined
      if (!leavesOutLast) write(line)
    },
  }
}
