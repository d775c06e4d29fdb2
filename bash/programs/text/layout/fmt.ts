/** Reflows paragraphs. Text is handled as bytes, one character each. */
import { encodeText } from '../../../io/byte-text.js'
import { readAll } from '../../../io/streams.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { quoted, quotedName } from '../../quoting.js'
import { forEachInput } from '../common/inputs.js'
import { requireNumber } from '../common/numbers.js'
import { byteString, bytesOf } from '../sort/byte-lines.js'
import { bestSplit, breakParagraph, type Indents, type Widths, type Word } from './fmt-paragraph.js'

interface Rules extends Widths {
  mode: 'plain' | 'crown' | 'tagged' | 'split'
  isUniform: boolean
  /** Without the blanks around it. */
  prefix: string
  prefixLead: number
  prefixLength: number
}

/** A line of input, taken apart. */
interface Line {
  /** The column of the prefix. */
  prefixIndent: number
  /** The column of the text after it. */
  indent: number
  hasPrefix: boolean
  raw: string
  text: string
}

/** What goes on from one paragraph to the next. */
interface State {
  hasTabs: boolean
  tagIndent: number
}

const usualWidth = 75
const tabColumns = 8
const tagIndent = 3
/** A paragraph with more words or characters is broken before its end is read. */
const mostWords = 998
const mostCharacters = 5000

export const fmt = defineProgram({
  name: 'fmt',
  usage: '[-WIDTH] [OPTION]... [FILE]...',
  options: {
    crown: { names: ['-c', '--crown-margin'] },
    prefix: { names: ['-p', '--prefix'], value: 'required' },
    split: { names: ['-s', '--split-only'] },
    tagged: { names: ['-t', '--tagged-paragraph'] },
    uniform: { names: ['-u', '--uniform-spacing'] },
    width: { names: ['-w', '--width'], value: 'required' },
    goal: { names: ['-g', '--goal'], value: 'required' },
  },
  rewrite(args) {
    const [first = '', ...rest] = args
    return /^-\d+$/.test(first) ? ['-w', first.slice(1), ...rest] : args
  },
  async run(io, given) {
    const mode = (['split', 'crown', 'tagged'] as const).find((key) => given.has(key)) ?? 'plain'
    const prefix = byteString(encodeText(given.value('prefix') ?? ''))
    const bare = prefix.replace(/^ +/, '')
    const rules: Rules = {
      ...widths(given.value('width'), given.value('goal')),
      mode,
      isUniform: given.has('uniform'),
      prefix: bare.replace(/ +$/, ''),
      prefixLead: prefix.length - bare.length,
      prefixLength: bare.length,
    }
    return forEachInput(
      io,
      given.operands,
      async ({ reader }) => {
        const all = await readAll(reader)
        io.account(all.length * 2)
        await io.stdout.write(bytesOf(format(byteString(all), rules)))
        io.account(-all.length * 2)
      },
      (name, reason) =>
        reason === 'Is a directory'
          ? `read error: ${reason}`
          : `cannot open ${quotedName(name)} for reading: ${reason}`,
    )
  },
})

function widths(width: string | undefined, goal: string | undefined): Widths {
  const most = width === undefined ? undefined : requireNumber(width, 'invalid width', 0, 2500)
  if (goal !== undefined) {
    const wanted = requireNumber(goal, 'invalid width', 0, most ?? usualWidth)
    return { most: most ?? wanted + 10, goal: wanted }
  }
  const used = most ?? usualWidth
  if (used < 0) throw new ProgramError(`invalid width: ${quoted(width ?? '')}`)
  return { most: used, goal: Math.trunc((used * 187) / 200) }
}

function format(input: string, rules: Rules): string {
  const output: string[] = []
  const state: State = { hasTabs: false, tagIndent: 0 }
  const lines = input.split('\n')
  const endsOpen = lines.at(-1) !== ''
  if (!endsOpen) lines.pop()
  const parsed = lines.map((raw) => parseLine(raw, rules))
  let at = 0
  while (at < parsed.length) {
    const line = parsed[at] as Line
    state.hasTabs ||= line.raw.includes('\t')
    if (!line.hasPrefix || line.text === '' || line.prefixIndent < rules.prefixLead) {
      at += 1
      // With a prefix, what is left at the end is copied as it is.
      if (rules.prefix !== '' && !line.hasPrefix && endsOpen && at === parsed.length) {
        return output.map((one) => `${one}\n`).join('') + verbatim(line, rules)
      }
      output.push(verbatim(line, rules))
      continue
    }
    const end = paragraphEnd(parsed, at, rules)
    state.hasTabs ||= parsed.slice(at, end).some(({ raw }) => raw.includes('\t'))
    output.push(...paragraph(parsed.slice(at, end), rules, state))
    at = end
  }
  return output.length === 0 ? '' : `${output.join('\n')}\n`
}

function parseLine(raw: string, rules: Rules): Line {
  const lead = blanks(raw, 0, 0)
  if (rules.prefix === '') {
    return {
      prefixIndent: Math.min(rules.prefixLead, lead.column),
      indent: lead.column,
      hasPrefix: true,
      raw,
      text: raw.slice(lead.at).trimEnd(),
    }
  }
  const after = raw.startsWith(rules.prefix, lead.at)
    ? blanks(raw, lead.at + rules.prefix.length, lead.column + rules.prefix.length)
    : undefined
  const hasPrefix = after !== undefined && after.column >= lead.column + rules.prefixLength
  return {
    prefixIndent: lead.column,
    indent: after?.column ?? lead.column,
    hasPrefix,
    raw,
    text: after === undefined ? '' : raw.slice(after.at).replace(/[ \t]+$/, ''),
  }
}

/** Where a run of blanks ends, and in which column. */
function blanks(text: string, from: number, fromColumn: number): { at: number; column: number } {
  let at = from
  let column = fromColumn
  for (; text[at] === ' ' || text[at] === '\t'; at += 1) {
    column = text[at] === '\t' ? (Math.trunc(column / tabColumns) + 1) * tabColumns : column + 1
  }
  return { at, column }
}

/** An empty line, or one without the prefix. */
function verbatim(line: Line, rules: Rules): string {
  if (rules.prefix === '') return line.text === '' ? '' : line.raw
  return /^[ \t]*$/.test(line.raw) || (line.hasPrefix && line.text === '') ? line.raw.replace(/[ \t]+$/, '') : line.raw
}

function isSameParagraph(line: Line | undefined, first: Line): line is Line {
  return line?.hasPrefix === true && line.text !== '' && line.prefixIndent === first.prefixIndent
}

function paragraphEnd(lines: readonly Line[], start: number, { mode }: Rules): number {
  const first = lines[start] as Line
  const second = lines[start + 1]
  let end = start + 1
  if (mode === 'split' || !isSameParagraph(second, first)) return end
  if (mode === 'tagged' && second.indent === first.indent) return end
  const indent = mode === 'plain' ? first.indent : second.indent
  for (let line = lines[end]; isSameParagraph(line, first) && line.indent === indent; line = lines[end]) end += 1
  return end
}

function indentsOf(lines: readonly Line[], mode: Rules['mode'], state: State): Indents {
  const first = (lines[0] as Line).indent
  const second = lines[1]?.indent
  if (mode === 'crown') return { first, other: second ?? first }
  if (mode !== 'tagged') return { first, other: first }
  if (second !== undefined && second !== first) state.tagIndent = second
  else if (state.tagIndent === first) state.tagIndent = first === 0 ? tagIndent : 0
  return { first, other: state.tagIndent }
}

/** The lines of a paragraph after it was broken anew. */
function paragraph(lines: readonly Line[], rules: Rules, state: State): string[] {
  const { prefixIndent } = lines[0] as Line
  let { first, other } = indentsOf(lines, rules.mode, state)
  const output: string[] = []
  let words: Word[] = []
  let characters = 0
  let lastLength = 0

  function write(from: readonly Word[], indent: number): void {
    const line = new OutputLine(state.hasTabs)
    line.space(prefixIndent)
    line.text(rules.prefix)
    line.space(indent - line.column)
    from.forEach((word, index) => {
      line.text(word.text)
      if (index < from.length - 1) line.space(word.space)
    })
    lastLength = line.column
    output.push(line.value)
  }

  function flush(isEnd: boolean): void {
    const broken = breakParagraph(words, rules, { first, other }, lastLength)
    const count = isEnd ? broken.length : bestSplit(broken)
    let end = 0
    for (const [index, line] of broken.slice(0, count).entries()) {
      write(words.slice(line.start, line.end), index === 0 ? first : other)
      end = line.end
    }
    words = words.slice(end)
    characters = words.reduce((sum, { text }) => sum + text.length, 0)
    first = other
  }

  for (const line of lines) {
    for (const word of wordsOf(line, rules.isUniform)) {
      if (characters + word.text.length > mostCharacters || words.length === mostWords) flush(false)
      words.push(word)
      characters += word.text.length
    }
  }
  const last = words.at(-1)
  if (last !== undefined) {
    last.hasPeriod = true
    last.isFinal = true
    flush(true)
  }
  return output
}

function wordsOf({ text, indent }: Line, isUniform: boolean): Word[] {
  const words: Word[] = []
  let at = 0
  let column = indent
  while (at < text.length) {
    const start = at
    while (at < text.length && !isBlank(text[at])) at += 1
    const word = text.slice(start, at)
    column += word.length
    const after = blanks(text, at, column)
    const isLineEnd = after.at >= text.length
    const space = after.column - column
    const hasPeriod = /[.?!][)\]'"]*$/.test(word)
    const isFinal = hasPeriod && (isLineEnd || space > 1)
    words.push({
      text: word,
      space: isLineEnd || isUniform ? (isFinal ? 2 : 1) : space,
      isOpening: /^[([`'"]/.test(word),
      hasPeriod,
      hasPunctuation: /[!-/:-@[-`{-~]$/.test(word),
      isFinal,
    })
    at = after.at
    column = after.column
  }
  return words
}

function isBlank(character: string | undefined): boolean {
  return (
    character === ' ' ||
    character === '\t' ||
    character === '\n' ||
    character === '\v' ||
    character === '\f' ||
    character === '\r'
  )
}

/** Writes spaces as tabs where the input has tabs. */
class OutputLine {
  value = ''
  column = 0

  constructor(private readonly hasTabs: boolean) {}

  text(text: string): void {
    this.value += text
    this.column += text.length
  }

  space(count: number): void {
    const target = this.column + count
    const tabTarget = Math.trunc(target / tabColumns) * tabColumns
    if (this.hasTabs && this.column + 1 < tabTarget) {
      while (this.column < tabTarget) {
        this.value += '\t'
        this.column = (Math.trunc(this.column / tabColumns) + 1) * tabColumns
      }
    }
    for (; this.column < target; this.column += 1) this.value += ' '
  }
}
