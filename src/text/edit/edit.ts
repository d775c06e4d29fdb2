/** Edits of one text: several in order on one buffer, all or nothing. Characters outside the edited spans stay as they are. */
import { dominantEnding, endingsByLine } from '../lines/line-endings.js'
import { type LineCounting, type LineTable, lineBreaks, lineTable } from '../lines/lines.js'
import { type EditBuffer, editBuffer } from './edit-buffer.js'
import { type Change, changesOf, mostUnits, type Planned, type PlanOptions, tooLongResult } from './edit-plan.js'
import type { AppliedEdit, Edit, EditFailure, EditOptions, EditOutcome, TextRange } from './edit-types.js'
import { textInPieces } from './edited-text.js'
import { type CountedChange, type LineMoves, lineMoves, lineNow } from './line-moves.js'
import { foldLineEndings } from './match/fold.js'
import { longestLineOf } from './match/literal.js'

/** Applies edits in order, each to the result of the one before. If one fails, nothing is applied, unless failed edits may be skipped. */
export function applyEdits(text: string, edits: readonly Edit[], options: EditOptions = {}): EditOutcome {
  const steps = applyInSteps(text, edits, options)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The same, but yields after each edit, where the caller may pause. */
export function* applyInSteps(
  text: string,
  edits: readonly Edit[],
  options: EditOptions = {},
): Generator<undefined, EditOutcome> {
  if (!options.endingsByLine || !text.includes('\r')) return yield* applyInOrder(text, edits, options)
  const outcome = yield* applyInOrder(foldLineEndings(text).text, edits, options)
  return outcome.ended === 'applied' ? { ...outcome, text: endingsByLine(text, outcome.text) } : outcome
}

function* applyInOrder(text: string, edits: readonly Edit[], options: EditOptions): Generator<undefined, EditOutcome> {
  const applied: AppliedEdit[] = []
  const moves: LineMoves[] = []
  const { counting } = options
  const isOriginal = options.lineNumbers === 'original'
  const originalLines = once(() => lineTable(text, counting).count)
  const usualEnding = once(() => dominantEnding(text, counting))
  const buffer = yield* openBuffer(text, edits)
  const { earlierVersions = [] } = options
  const ofFirst: PlanOptions = { ...options, usualEnding }
  const ofOthers: PlanOptions = { ...ofFirst, earlierVersions: [text, ...earlierVersions] }
  for (const [index, edit] of edits.entries()) {
    const numbered = fromStart(edit, isOriginal ? originalLines : () => buffer.linesOf(counting).count)
    const current = isOriginal ? renumber(numbered, moves) : numbered
    const planned: Planned | EditFailure = current
      ? changesOf(buffer, current, index === 0 ? ofFirst : ofOthers)
      : { code: 'INVALID_EDIT', reason: 'overlaps-earlier-edit' }
    if ('code' in planned) {
      if (options.failures !== 'skip') return { ended: 'refused', edit: index, failure: planned }
      applied.push({ places: [], failure: planned })
      yield
      continue
    }

    if (lengthAfter(buffer.length, planned.changes) > mostUnits) {
      return { ended: 'refused', edit: index, failure: tooLongResult }
    }
    const changes = planned.changes.map((change) => {
      const { start, end, replacement } = change
      return { start, end, replacement, delta: lineDelta(change, buffer, counting) }
    })
    const oldLines = buffer.linesOf(counting)
    const before = changes.map(({ start, end }) => rangeOf(oldLines, start, end))
    if (isOriginal) moves.push(lineMoves(changes, oldLines, current))
    buffer.replace(changes)
    applied.push(describe(planned.rule, changes, before, buffer.linesOf(counting)))
    yield
  }
  return { ended: 'applied', text: buffer.text, edits: applied }
}

/** A text in pieces takes a pass over the text first, which few edits don't make up for. */
const fewEdits = 4
const shortText = 1 << 16

function* openBuffer(text: string, edits: readonly Edit[]): Generator<undefined, EditBuffer> {
  if (edits.length < fewEdits || text.length < shortText) return editBuffer(text)
  return editBuffer(yield* textInPieces(text, edits.flatMap(needlesOf)))
}

/** The texts that an edit looks for. */
function needlesOf(edit: Edit): readonly string[] {
  if (edit.kind === 'regex') return edit.find.inLines ?? []
  if (edit.kind !== 'literal' || edit.caseInsensitive) return []
  return [edit.find, longestLineOf(foldLineEndings(edit.find).text).anchor]
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function lengthAfter(before: number, changes: readonly Change[]): number {
  return changes.reduce((length, { start, end, replacement }) => length + replacement.length - (end - start), before)
}

function describe(
  rule: Planned['rule'],
  changes: readonly CountedChange[],
  before: readonly TextRange[],
  lines: LineTable,
): AppliedEdit {
  let shift = 0
  const places = changes.map(({ start, end, replacement, delta }, index) => {
    const newStart = start + shift
    shift += replacement.length - (end - start)
    return {
      before: before[index] as TextRange,
      after: rangeOf(lines, newStart, newStart + replacement.length),
      lineDelta: delta,
    }
  })
  return rule === undefined ? { places } : { rule, places }
}

function rangeOf(table: LineTable, start: number, end: number): TextRange {
  return { start, end, line: table.lineAt(start), endLine: table.lineAt(Math.max(start, end - 1)) }
}

function lineDelta({ start, end, replacement }: Change, text: EditBuffer, counting?: LineCounting): number {
  const breaks = (part: string) => part.match(lineBreaks(counting?.breaks))?.length ?? 0
  return breaks(replacement) - breaks(text.slice(start, end))
}

/** The edit with negative line numbers converted; one that lies before the first line stays negative. */
function fromStart(edit: Edit, lineCount: () => number): Edit {
  const positive = (line: number) => {
    const counted = line < 0 ? lineCount() + 1 + line : line
    return counted < 1 ? line : counted
  }
  if (edit.kind === 'insert') return edit.before === 'end' ? edit : { ...edit, before: positive(edit.before) }
  if (edit.kind === 'lines') return { ...edit, first: positive(edit.first), last: positive(edit.last) }
  if (!edit.within) return edit
  return { ...edit, within: { first: positive(edit.within.first), last: positive(edit.within.last) } }
}

/**
 * The edit with line numbers of the original text converted to those of the current text; undefined when an earlier edit changed its lines.
 * A range to search in includes what earlier edits made of its lines.
 */
function renumber(edit: Edit, moves: readonly LineMoves[]): Edit | undefined {
  if (edit.kind === 'insert') {
    if (edit.before === 'end') return edit
    const before = lineNow(edit.before, moves)
    return before === undefined ? undefined : { ...edit, before }
  }
  if (edit.kind === 'lines') {
    const [first, last] = [lineNow(edit.first, moves), lineNow(edit.last, moves)]
    if (first === undefined || last === undefined) return undefined
    // Lines that an earlier edit inserted in between must not be replaced.
    return last - first === edit.last - edit.first ? { ...edit, first, last } : undefined
  }
  if (!edit.within) return edit
  const first = lineNow(edit.within.first, moves, ({ touched }) => touched)
  const last = lineNow(edit.within.last, moves, ({ from, delta }) => from - 1 + delta)
  return { ...edit, within: { first, last } }
}
