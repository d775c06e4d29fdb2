/** Several parts of one file, by their lines. */
import { FsError, isFsError } from '../../../../errors.js'
import { readText } from '../../../../ops/read-text.js'
import { lineTable } from '../../../../text/lines/lines.js'
import type { CallContext, Workspace } from '../../../../workspace/workspace.js'
import { shortHash } from '../../failure.js'
import { type OpenedFile, openFile, openFileSync } from '../../open-file.js'
import type { Position } from '../../paging/cursor.js'
import { sentBytes } from '../../paging/token-budget.js'
import { plural } from '../../print.js'
import {
  type Part,
  type PartOptions,
  readLargeFile,
  readLinesOf,
  showBinary,
  stateOf,
  type Wanted,
} from './read-part.js'

/** Each `[first, last]` or, up to the end, `[first]`. Lines count from 1; negative ones from the end. */
export type Ranges = readonly (readonly number[])[]

type Format = Wanted['format']

/** Refuses what no file can have, with a reason. */
export function checkRanges(ranges: Ranges): void {
  for (const range of ranges) {
    const [first, last = -1] = range
    if (first === undefined || range.length > 2) throw invalid('each is [first, last] or [first]')
    if (first === 0 || last === 0) throw invalid('lines are counted from 1, or from -1 at the end')
    if (first > last && first > 0 === last > 0) throw invalid(`[${first}, ${last}] ends before it begins`)
  }
}

/** Why `ranges` can't be combined with something. */
export function invalid(message: string): FsError {
  return new FsError('INVALID_INPUT', { issues: [{ at: ['ranges'], kind: 'other', message }] })
}

/** Reads the requested lines of one file, with `--` between parts that do not follow each other. */
export async function readRanges(
  path: string,
  ranges: Ranges,
  format: Format,
  options: PartOptions,
  workspace: Workspace,
  context: CallContext,
): Promise<Part> {
  try {
    return rangesOf(await openFile({ path }, workspace, context), ranges, format, options)
  } catch (error) {
    if (!isFsError(error, 'TOO_LARGE')) throw error
    return rangesOfLargeFile(path, ranges, format, options, workspace, context)
  }
}

/** The same without a promise; undefined where that would block. */
export function readRangesSync(
  path: string,
  ranges: Ranges,
  format: Format,
  options: PartOptions,
  workspace: Workspace,
): Part | undefined {
  const file = openFileSync({ path }, workspace)
  return file && rangesOf(file, ranges, format, options)
}

function rangesOf(file: OpenedFile, ranges: Ranges, format: Format, options: PartOptions): Part {
  const { path, text } = file
  if (text === undefined) return showBinary(file, options)
  const hash = shortHash(file.hash)
  const { from } = options
  if (from !== undefined && from[0] !== hash) {
    throw new FsError('STALE', { path, expected: String(from[0]), actual: file.hash })
  }
  const lines = lineTable(text)
  if (lines.count === 0)
    return readLinesOf(file, text, wantedOf(undefined, format), { room: options.room, from: undefined })
  const { sections, missing } = sectionsOf(ranges, lines.count)
  const parts = collectParts(sections, hash, format, options)
  for (let wanted = parts.next(); wanted !== undefined; wanted = parts.next()) {
    parts.add(readLinesOf(file, text, wantedOf(wanted.section, format), wanted.options, lines))
  }
  return parts.whole({ path, missing, total: lines.count, tail: `, hash ${hash}`, facts: { hash } })
}

/** As for other files, but lines that are not there are only noticed when they are read. */
async function rangesOfLargeFile(
  path: string,
  ranges: Ranges,
  format: Format,
  options: PartOptions,
  workspace: Workspace,
  context: CallContext,
): Promise<Part> {
  const state = await stateOf(path, workspace, context, options.from)
  const isFromEnd = ranges.some((range) => range.some((line) => line < 0))
  const last =
    isFromEnd || mayMeet(sectionsOf(ranges, Infinity).sections)
      ? await workspace.run(readText, { path, startLine: -1, maxLines: 1, detectEncoding: true }, context)
      : undefined
  const { sections, missing } = sectionsOf(ranges, last?.firstLine ?? Infinity)
  const parts = collectParts(sections, state, format, options)
  for (let wanted = parts.next(); wanted !== undefined; wanted = parts.next()) {
    const { section } = wanted
    try {
      parts.add(await readLargeFile(path, wantedOf(section, format), wanted.options, workspace, context))
    } catch (error) {
      if (!isFsError(error, 'LINE_OUT_OF_RANGE')) throw error
      parts.skip()
      missing.push(section.last < Infinity ? [section.first, section.last] : [section.first])
    }
  }
  return parts.whole({ path, missing, total: last?.firstLine, tail: ' of a file too large for a hash', facts: {} })
}

interface Section {
  first: number
  last: number
}

function wantedOf(section: Section | undefined, format: Format): Wanted {
  if (section === undefined) return { unit: 'lines', format }
  const { first, last } = section
  return { unit: 'lines', format, offset: first, ...(last < Infinity && { limit: last - first + 1 }) }
}

/** The lines as numbers from 1, in the order asked for. What overlaps the range before it, or follows it, is one section with it. */
function sectionsOf(ranges: Ranges, count: number): { sections: Section[]; missing: (readonly number[])[] } {
  const sections: Section[] = []
  const missing: (readonly number[])[] = []
  for (const range of ranges) {
    const [given = 1, end = -1] = range
    const first = given > 0 ? given : Math.max(1, count + given + 1)
    const last = Math.min(count, end > 0 ? end : count + end + 1)
    const before = sections.at(-1)
    if (first > last) missing.push(range)
    else if (before !== undefined && first >= before.first && first <= before.last + 1) {
      before.last = Math.max(before.last, last)
    } else sections.push({ first, last })
  }
  return { sections, missing }
}

/** Whether sections that are not next to each other may belong together if what is between them is not there. */
function mayMeet(sections: readonly Section[]): boolean {
  let [least, most] = [Infinity, 0]
  return sections.some(({ first }, index) => {
    const earlier = sections[index - 2]
    least = Math.min(least, earlier?.first ?? Infinity)
    most = Math.max(most, earlier?.last ?? 0)
    return first >= least && first <= most + 1
  })
}

/** Between parts that do not follow each other. */
const gap = '--'
/** With less room, no other section is begun. */
const minSectionBytes = 60
/** What the label of ranges takes more than that of one. */
const labelBytes = 120

/** Puts sections together while there is room. A position is the state of the file, the index of a section, and the place in it. */
function collectParts(sections: readonly Section[], state: string, format: Format, { room, from }: PartOptions) {
  const [, index = 0, ...place] = from ?? []
  const texts: string[] = []
  const shown: Section[] = []
  let left = room - labelBytes
  let at = Number(index)
  let within: Position | undefined = place.length > 0 ? [state, ...place] : undefined
  let next: Position | undefined
  let note = ''

  return {
    /** The next section to read, and its options; undefined at the end. */
    next(): { section: Section; options: PartOptions } | undefined {
      const section = sections[at]
      if (section === undefined || next !== undefined) return undefined
      if (texts.length > 0 && left < minSectionBytes) {
        next = [state, at]
        return undefined
      }
      return { section, options: { room: left, from: within } }
    },
    add({ text, facts, next: rest, note: said = '' }: Part): void {
      texts.push(text)
      note ||= said
      shown.push({ first: Number(facts.first_line), last: Number(facts.last_line) })
      left -= sentBytes(text) + gap.length + 4
      if (rest !== undefined) next = [state, at, ...rest.slice(1)]
      at += 1
      within = undefined
    },
    skip(): void {
      at += 1
      within = undefined
    },
    whole({ path, missing, total, tail, facts }: Whole): Part {
      const [first, last] = [shown[0], shown.at(-1)]
      if (first === undefined || last === undefined) {
        throw new FsError('LINE_OUT_OF_RANGE', { path, line: missing[0]?.[0] ?? 1, lineCount: total ?? 0 })
      }
      const of = total === undefined ? '' : ` of ${total}`
      return {
        text: joined(texts, format),
        ...(next !== undefined && { next }),
        label: `${listed(shown)}${of}${tail}${note}${missingNote(missing)}`,
        facts: {
          ...facts,
          first_line: first.first,
          last_line: last.last,
          ...(total !== undefined && { total_lines: total }),
        },
      }
    },
  }
}

interface Whole {
  path: string
  /** As they were asked for. */
  missing: Ranges
  /** Absent when not known. */
  total: number | undefined
  /** What the label has after the lines. */
  tail: string
  facts: Record<string, unknown>
}

/** Raw text ends as the file's lines do. */
function joined(texts: readonly string[], format: Format): string {
  if (format !== 'raw') return texts.join(`\n${gap}\n`)
  return texts.reduce((all, text) => `${all}${/[\r\n]$/.test(all) ? '' : '\n'}${gap}\n${text}`)
}

const maxListed = 4

/** `lines 1-20, 40`. */
function listed(sections: readonly Section[]): string {
  if (sections.length > maxListed) return plural(sections.length, 'range')
  const named = sections.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`))
  return `${/^\d+$/.test(named.join()) ? 'line' : 'lines'} ${named.join(', ')}`
}

function missingNote(ranges: Ranges): string {
  if (ranges.length === 0) return ''
  const named = ranges.map((range) => `[${range.join(', ')}]`).join(', ')
  return `; not there: ${ranges.length > maxListed ? plural(ranges.length, 'range') : named}`
}
