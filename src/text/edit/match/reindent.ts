import { blockLines, commonIndent, indentOf, isBlank } from './blocks.js'

/**
 * How to indent new text for whole lines that matched except for white space.
 * - `none`: as sent.
 * - `block`: its common indent is replaced by that of the lines; relative indents stay as sent.
 * - `steps`: indents are converted line by line to those of the file, including tabs and spaces, and lines that the new text only repeats
 *   stay as they are in the file.
 */
export type Reindent = 'none' | 'block' | 'steps'

/** New lines for the block of `lines`, without a final line ending. `sample` is text of the file, to detect its indentation. */
export function reindent(
  replacement: string,
  { lines, find, policy, sample }: { lines: readonly string[]; find: string; policy: Reindent; sample: string },
): string {
  if (policy === 'none') return replacement
  const fresh = replacement.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n')
  return (policy === 'block' ? asBlock(fresh, lines) : inSteps(fresh, lines, blockLines(find), sample)).join('\n')
}

function asBlock(fresh: readonly string[], lines: readonly string[]): string[] {
  const own = commonIndent(fresh).length
  const indent = commonIndent(lines)
  return fresh.map((line) => (line === '' ? line : indent + line.slice(Math.min(own, indentOf(line).length))))
}

function inSteps(
  fresh: readonly string[],
  lines: readonly string[],
  wanted: readonly string[],
  sample: string,
): string[] {
  const common = Math.min(fresh.length, wanted.length)
  let head = 0
  while (head < common && fresh[head] === wanted[head]) head += 1
  let tail = 0
  while (tail < common - head && fresh.at(-1 - tail) === wanted.at(-1 - tail)) tail += 1

  const translate = indentTranslator(wanted, lines, fresh, sample)
  return fresh.map((line, index) => {
    if (index < head) return lines[index]!
    if (index >= fresh.length - tail) return lines[lines.length - fresh.length + index]!
    return isBlank(line) ? '' : translate(indentOf(line)) + line.slice(indentOf(line).length)
  })
}

/** Maps indents as sent to indents of the file, learnt from the lines that matched. */
function indentTranslator(
  wanted: readonly string[],
  lines: readonly string[],
  fresh: readonly string[],
  sample: string,
): (indent: string) => string {
  const known = new Map<string, string>()
  wanted.forEach((line, index) => {
    if (!isBlank(line) && !known.has(indentOf(line))) known.set(indentOf(line), indentOf(lines[index]!))
  })
  const fileStep = indentStep(lines) ?? indentStep(sample.split(/\r\n|\n|\r/)) ?? indentStep(fresh) ?? '  '
  const sentStep = indentStep(wanted, fresh) ?? stepThatFits(known, fileStep) ?? fileStep
  const depth = (indent: string) => columns(indent, sentStep) / columns(sentStep, sentStep)

  return (indent) => {
    const exact = known.get(indent)
    if (exact !== undefined) return exact
    // The closest known indent, the smaller one of two equally close.
    let nearest = ''
    let base = ''
    let distance = Infinity
    for (const [sent, inFile] of known) {
      const away = Math.abs(depth(indent) - depth(sent))
      if (away > distance || (away === distance && depth(sent) > depth(nearest))) continue
      ;[nearest, base, distance] = [sent, inFile, away]
    }
    const steps = Math.round(depth(indent) - depth(nearest))
    if (steps >= 0) return base + fileStep.repeat(steps)
    return base.slice(0, Math.max(0, base.length + steps * fileStep.length))
  }
}

/** One step of indentation: a tab, or the most frequent increase in spaces between lines; undefined if there is none. */
function indentStep(...texts: readonly (readonly string[])[]): string | undefined {
  const indents = texts.map((lines) => lines.filter((line) => !isBlank(line)).map(indentOf))
  const starting = (unit: string) => indents.flat().filter((indent) => indent.startsWith(unit)).length
  const [tabs, spaces] = [starting('\t'), starting(' ')]
  if (tabs === 0 && spaces === 0) return undefined
  if (tabs >= spaces) return '\t'

  const growths = new Map<number, number>()
  for (const widths of indents.map((each) => each.map((indent) => indent.length))) {
    for (const [index, width] of widths.entries()) {
      // A decrease is often several steps; one space is a continuation (as in a block comment), not a step.
      const growth = width - (widths[index - 1] ?? width)
      if (growth > 1) growths.set(growth, (growths.get(growth) ?? 0) + 1)
    }
  }
  const ranked = [...growths].sort(([one, often], [other, oftener]) => oftener - often || one - other)
  return ranked[0] && ' '.repeat(ranked[0][0])
}

/** The step in spaces with which two indents as sent differ by as many steps as in the file. */
function stepThatFits(known: ReadonlyMap<string, string>, fileStep: string): string | undefined {
  const [[sent, inFile] = ['', ''], ...others] = known
  for (const [otherSent, otherInFile] of others) {
    const steps = (columns(inFile, fileStep) - columns(otherInFile, fileStep)) / columns(fileStep, fileStep)
    const width = (sent.length - otherSent.length) / steps
    if (Number.isInteger(width) && width > 0) return ' '.repeat(width)
  }
  return undefined
}

/** A tab in text sent with spaces counts as one step. */
function columns(indent: string, step: string): number {
  const tabWidth = step === '\t' ? 4 : step.length
  return [...indent].reduce((width, character) => width + (character === '\t' ? tabWidth : 1), 0)
}
