/** Finds where each hunk fits and applies it, by the rules of GNU patch. */
import type { Hunk, HunkLine } from './parse-patch.js'

export interface HunkOutcome {
  hunk: Hunk
  applied: boolean
  /** Its first line in the result, or where it was looked for. */
  line: number
  fuzz: number
  /** How far from the line that the patch names. */
  offset: number
}

export interface ApplyOptions {
  maxFuzz: number
  /** White space in different amounts is equal. */
  ignoreSpace: boolean
  /** Hunks are not looked for: all of them fail. */
  skips?: boolean
}

/** `lines` have their line feeds. Lines before the last applied hunk are not matched again. */
export function applyHunks(
  lines: readonly string[],
  hunks: readonly Hunk[],
  options: ApplyOptions,
): { lines: string[]; outcomes: HunkOutcome[] } {
  const result: string[] = []
  const outcomes: HunkOutcome[] = []
  let copied = 0
  let offset = 0
  for (const hunk of hunks) {
    const pattern = hunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
    const { prefix, suffix } = contextOf(hunk.lines)
    const guess = (pattern.length === 0 ? hunk.oldStart + 1 : hunk.oldStart) + offset
    const search = { lines, pattern, prefix, suffix, guess, frozen: copied, ignoreSpace: options.ignoreSpace }
    const found = options.skips ? undefined : locate(search, Math.min(options.maxFuzz, Math.max(prefix, suffix)))
    const grown = result.length - copied
    if (found === undefined) {
      outcomes.push({ hunk, applied: false, line: Math.max(1, guess + grown), fuzz: 0, offset })
      continue
    }
    offset += found.at - guess
    for (; copied < found.at - 1; copied += 1) result.push(lines[copied] as string)
    outcomes.push({ hunk, applied: true, line: found.at + grown, fuzz: found.fuzz, offset })
    for (const { mark, text } of hunk.lines) {
      if (mark === '+') result.push(text)
      else {
        // The context stays as it is in the file, which may differ within the fuzz.
        const own = lines[copied]
        if (mark === ' ' && own !== undefined) result.push(own)
        copied += 1
      }
    }
  }
  const all = [...result, ...lines.slice(copied)]
  // A last line without a line feed may have become one in the middle.
  const ended = all.map((line, index) => (index < all.length - 1 && !line.endsWith('\n') ? `${line}\n` : line))
  return { lines: ended, outcomes }
}

function contextOf(lines: readonly HunkLine[]): { prefix: number; suffix: number } {
  const isContext = ({ mark }: HunkLine) => mark === ' '
  const first = lines.findIndex((line) => !isContext(line))
  let last = lines.length - 1
  while (last > first && isContext(lines[last] as HunkLine)) last -= 1
  return first === -1
    ? { prefix: lines.length, suffix: lines.length }
    : { prefix: first, suffix: lines.length - 1 - last }
}

interface Search {
  lines: readonly string[]
  pattern: readonly string[]
  prefix: number
  suffix: number
  /** The expected line, from 1. */
  guess: number
  /** Lines that are done. */
  frozen: number
  ignoreSpace: boolean
}

function locate(search: Search, maxFuzz: number): { at: number; fuzz: number } | undefined {
  for (let fuzz = 0; fuzz <= maxFuzz; fuzz += 1) {
    const at = locateWith(search, fuzz)
    if (at !== undefined) return { at, fuzz }
  }
  return undefined
}

/** A hunk with less context before its changes than after belongs to the start of the file, and the other way round to its end. */
function locateWith(search: Search, fuzz: number): number | undefined {
  const { lines, pattern, prefix, suffix, guess, frozen } = search
  if (pattern.length === 0) return guess <= lines.length + 1 && guess > frozen ? guess : undefined
  const context = Math.max(prefix, suffix)
  const prefixFuzz = fuzz + prefix - context
  const suffixFuzz = fuzz + suffix - context
  if (prefixFuzz < 0) {
    if (suffixFuzz < 0 && pattern.length !== lines.length) return undefined
    return frozen <= prefix && fits(search, 1, 0, Math.max(0, suffixFuzz)) ? 1 : undefined
  }
  if (suffixFuzz < 0) {
    const at = lines.length - pattern.length + 1
    return at > frozen && fits(search, at, prefixFuzz, 0) ? at : undefined
  }
  const last = lines.length - (pattern.length - suffixFuzz) + 1
  const furthest = Math.max(last - guess, guess - frozen - 1)
  for (let distance = 0; distance <= furthest; distance += 1) {
    const [after, before] = [guess + distance, guess - distance]
    if (after <= last && after > frozen && fits(search, after, prefixFuzz, suffixFuzz)) return after
    if (distance > 0 && before > frozen && before >= 1 && fits(search, before, prefixFuzz, suffixFuzz)) return before
  }
  return undefined
}

function fits({ lines, pattern, ignoreSpace }: Search, at: number, prefixFuzz: number, suffixFuzz: number): boolean {
  for (let index = prefixFuzz; index < pattern.length - suffixFuzz; index += 1) {
    const own = lines[at - 1 + index]
    const wanted = pattern[index] as string
    if (own === undefined) return false
    if (own !== wanted && !(ignoreSpace && squeezed(own) === squeezed(wanted))) return false
  }
  return true
}

function squeezed(line: string): string {
  return line.replace(/\s+/g, ' ').trimEnd()
}
