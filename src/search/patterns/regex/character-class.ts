import { entryOf } from '../../../text/entry-of.js'
import { type CodePoints, characters, complement, difference, intersection, noCodePoint, union } from './code-points.js'
import { parseEscape } from './escape.js'
import type { Flags, Reader } from './reader.js'
import { asciiDigit, asciiWord, closeOverCase } from './unicode.js'

/** Parses a bracketed class, from its `[` to its `]`. In both syntaxes case is folded before the class is negated. */
export function parseClass(reader: Reader, flags: Flags, depth = 0): CodePoints {
  const { characters: all } = reader
  const rust = reader.syntax === 'rust'
  if (depth > 50) reader.fail('classes nested deeper than 50')
  reader.at += 1
  const negated = all[reader.at] === '^'
  if (negated) reader.at += 1
  // In Rust a closing bracket in first place is a character; in ECMAScript it closes an empty class.
  const first = reader.at
  let total: CodePoints | undefined
  let join = union
  let current: CodePoints[] = []
  let unfolded: CodePoints[] = []
  for (;;) {
    if (flags.verbose) while (/\s/.test(all[reader.at] ?? '')) reader.at += 1
    const next = all[reader.at]
    if (next === undefined) return reader.fail('a class without its closing bracket')
    if (next === ']' && !(rust && reader.at === first)) break
    const operation = rust ? operations[`${next}${all[reader.at + 1] ?? ''}`] : undefined
    if (operation !== undefined && (next !== '-' || current.length + unfolded.length > 0)) {
      close()
      join = operation
      reader.at += 2
    } else item()
  }
  close()
  reader.at += 1
  return negated ? complement(total!) : total!

  function close(): void {
    const written = union(noCodePoint, ...unfolded)
    const operand = union(flags.ignoreCase ? closeOverCase(written) : written, ...current)
    total = total === undefined ? operand : join(total, operand)
    current = []
    unfolded = []
  }

  /** Class escapes are not folded: that would let `\W` match a word character. */
  function item(): void {
    if (rust && all[reader.at] === '[') {
      const posix = /^\[:(\^?)([a-z]+):\]/.exec(all.slice(reader.at, reader.at + 16).join(''))
      if (posix === null) current.push(parseClass(reader, flags, depth + 1))
      else {
        reader.at += posix[0].length
        const set = entryOf(posixClasses, posix[2]!) ?? reader.fail(`the class [:${posix[2]}:] is not known`)
        if (posix[1] === '^') current.push(complement(flags.ignoreCase ? closeOverCase(set) : set))
        else unfolded.push(set)
      }
      return
    }
    const low = member()
    const high = all[reader.at] === '-' ? all[reader.at + 1] : undefined
    if (high === undefined || high === ']' || (rust && high === '-')) {
      push(low)
      return
    }
    reader.at += 1
    const last = member()
    if (typeof low === 'number' && typeof last === 'number') {
      if (low > last) reader.fail('a range out of order in a class')
      unfolded.push([low, last])
      return
    }
    // In ECMAScript such a hyphen is a character of the class.
    if (rust) reader.fail('a range from or to a class')
    push(low)
    push(0x2d)
    push(last)
  }

  function push(member: number | CodePoints): void {
    if (typeof member === 'number') unfolded.push([member, member])
    else current.push(member)
  }

  function member(): number | CodePoints {
    const character = all[reader.at] ?? reader.fail('a class without its closing bracket')
    if (character !== '\\') {
      reader.at += 1
      return character.codePointAt(0)!
    }
    const escaped = parseEscape(reader, flags)
    if (escaped.kind === 'character') return escaped.codePoint
    return escaped.kind === 'set' ? escaped.set : reader.fail('an edge inside a class')
  }
}

const operations: Record<string, typeof union> = {
  '&&': intersection,
  '--': difference,
  '~~': (a: CodePoints, b: CodePoints) => difference(union(a, b), intersection(a, b)),
}

const posixClasses: Record<string, CodePoints> = {
  alnum: difference(asciiWord, [0x5f, 0x5f]),
  alpha: difference(asciiWord, [0x30, 0x39, 0x5f, 0x5f]),
  ascii: [0, 0x7f],
  blank: [0x09, 0x09, 0x20, 0x20],
  cntrl: [0, 0x1f, 0x7f, 0x7f],
  digit: asciiDigit,
  graph: [0x21, 0x7e],
  lower: [0x61, 0x7a],
  print: [0x20, 0x7e],
  punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
  space: [0x09, 0x0d, 0x20, 0x20],
  upper: [0x41, 0x5a],
  word: asciiWord,
  xdigit: characters('0123456789ABCDEFabcdef'),
}
