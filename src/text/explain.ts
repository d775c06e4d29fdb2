/** Why a text was not found, and what stands there instead. */
import type { EditExplanation, EditFailureCause } from '../errors.js'
import { lineTable } from './lines.js'
import { isBlank } from './match/blocks.js'
import { foldLineEndings, foldWhitespace, type Span } from './match/fold.js'
import { occurrences, occurrencesAnyEnding } from './match/literal.js'
import { findMatches, type MatchRule } from './match/rules.js'
import { mostSimilar } from './similar.js'

/** What was to be replaced by what. */
export interface FailedEdit {
  find: string
  replace?: string
}

/** The first cause that accounts for it, from the plainest to the vaguest; `suggestion` is the text of the file, to be sent as it is. */
export function explainNoMatch(
  text: string,
  edit: FailedEdit,
  { earlierVersions = [] }: { earlierVersions?: readonly string[] } = {},
): EditExplanation {
  const applied = placesOfReplacement(text, edit)
  for (const { cause, search } of attempts) {
    const places = search(text, edit.find)
    if (places.length === 0) continue
    if (places.every((place) => applied.some((other) => other.start <= place.start && place.end <= other.end))) {
      return { cause: 'already-applied', lines: linesOf(text, applied) }
    }
    const { start, end } = places[0]!
    const suggestion = text.slice(start, end)
    return { cause: cause(edit.find, suggestion), suggestion, lines: linesOf(text, places) }
  }
  if (applied.length > 0) return { cause: 'already-applied', lines: linesOf(text, applied) }

  const numbered = withoutLineNumbers(edit.find).find(({ certain }) => certain)
  const similar = mostSimilar(text, numbered?.text ?? edit.find)
  const nearest = similar && similar.similarity >= tellable ? { nearest: similar, suggestion: similar.text } : {}
  if (numbered) return { cause: 'line-number-prefixes', ...nearest }
  if (earlierVersions.some((earlier) => occurrencesAnyEnding(earlier, edit.find).length > 0)) {
    return { cause: 'matches-earlier-version', ...nearest }
  }
  return { cause: similar && similar.similarity >= alike ? 'similar-text' : 'absent', ...nearest }
}

/** Below this the nearest text is not worth telling; from the other on it is what was meant. */
const tellable = 0.4
const alike = 0.6

interface Attempt {
  cause: (find: string, found: string) => EditFailureCause
  search: (text: string, find: string) => Span[]
}

const attempts: readonly Attempt[] = [
  { cause: () => 'other-lines', search: (text, find) => occurrences(text, find) },
  {
    cause: () => 'byte-order-mark',
    search: (text, find) => (find.includes('\ufeff') ? tolerantly(text, find.replaceAll('\ufeff', '')) : []),
  },
  { cause: () => 'line-endings', search: occurrencesAnyEnding },
  {
    cause: (find, found) => (find.includes('\t') === found.includes('\t') ? 'whitespace' : 'tabs-and-spaces'),
    search: (text, find) => orElse(places(text, find, whitespaceRules), () => regardlessOfWhitespace(text, find)),
  },
  {
    cause: () => 'line-number-prefixes',
    search: (text, find) =>
      firstFound(
        text,
        withoutLineNumbers(find).map((variant) => variant.text),
      ),
  },
  { cause: () => 'escaped-text', search: (text, find) => firstFound(text, unescapedVariants(find)) },
  { cause: () => 'look-alike-characters', search: (text, find) => places(text, find, ['look-alikes']) },
  {
    cause: () => 'letter-case',
    search: (text, find) => occurrencesAnyEnding(text, find, { caseInsensitive: true }),
  },
]

const whitespaceRules = ['indentation', 'trimmed-lines', 'collapsed-whitespace', 'trimmed-substring'] as const

function places(text: string, find: string, rules: readonly MatchRule[]): Span[] {
  return findMatches(text, find, { rules })?.matches ?? []
}

function tolerantly(text: string, find: string): Span[] {
  return places(text, find, ['exact', 'line-endings', ...whitespaceRules])
}

function firstFound(text: string, variants: readonly string[]): Span[] {
  for (const variant of variants) {
    const found = isBlank(variant) ? [] : tolerantly(text, variant)
    if (found.length > 0) return found
  }
  return []
}

function orElse(found: Span[], next: () => Span[]): Span[] {
  return found.length > 0 ? found : next()
}

/** Lines broken elsewhere, or blanks where the other side has none. */
function regardlessOfWhitespace(text: string, find: string): Span[] {
  const wanted = foldWhitespace(find).text
  if (wanted.length < 4 || !hasWords(text, find.match(/[\p{L}\p{N}_]+/gu) ?? [])) return []
  // Without the way back it is far cheaper, and mostly there is nothing to come back with.
  if (!text.replace(/\s+/g, '').includes(wanted)) return []
  const folded = foldWhitespace(text)
  return occurrences(folded.text, wanted).flatMap((span) => {
    const raw = folded.raw(span)
    if (!raw) return []
    const indent = /^\s/.test(find)
      ? (/[ \t]*$/.exec(text.slice(Math.max(0, raw.start - 200), raw.start))?.[0].length ?? 0)
      : 0
    return [{ start: raw.start - indent, end: raw.end }]
  })
}

/** A cheap way to see that nothing made of these words can be there; the longest are the likeliest to be missing. */
function hasWords(text: string, words: readonly string[]): boolean {
  const longest = [...new Set(words)].sort((one, other) => other.length - one.length).slice(0, 8)
  return longest.every((word) => text.includes(word))
}

/** As the reading tools number lines: `     1⇥`, `1→`, `1 | `, `12: `, and `12:` or `12-` of a search. */
const linePrefixes = [/^\s*\d+\t/, /^\s*\d+→/, /^\s*\d+ ?\| ?/, /^\s*>?\s*\d+: /, /^\s*\d+[:-]/]

/** `certain`: the numbers count up, so that they can be nothing but line numbers. */
function withoutLineNumbers(find: string): { text: string; certain: boolean }[] {
  const lines = foldLineEndings(find).text.split('\n')
  const written = lines.filter((line) => !isBlank(line))
  return linePrefixes.flatMap((prefix) => {
    if (written.length === 0 || !written.every((line) => prefix.test(line))) return []
    const numbers = written.map((line) => Number(/\d+/.exec(line)?.[0]))
    const certain =
      numbers.length > 1 && numbers.every((number, index) => index === 0 || number === numbers[index - 1]! + 1)
    return [{ text: lines.map((line) => line.replace(prefix, '')).join('\n'), certain }]
  })
}

/** Escapes that were meant as characters, and characters where the file has escapes. */
function unescapedVariants(find: string): string[] {
  const variants = [
    find.replace(/\\([nrt"'`\\/$])/g, (_, name: string) => ({ n: '\n', r: '\r', t: '\t' })[name] ?? name),
    find.replace(/\\(["'`$])/g, '$1'),
    find.replace(/&(lt|gt|amp|quot|apos|#39);/g, (_, name: string) => entities[name] ?? ''),
    find
      .replaceAll('\\', '\\\\')
      .replace(/["\n\t]/g, (character) => ({ '\n': '\\n', '\t': '\\t' })[character] ?? '\\"'),
    find.replace(/[\n\t]/g, (character) => (character === '\n' ? '\\n' : '\\t')),
    find.replaceAll('"', '\\"'),
  ]
  return [...new Set(variants)].filter((variant) => variant !== find)
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", '#39': "'" }

/** A few characters may stand anywhere, and so may a part of what was looked for: neither shows that the edit was made. */
function placesOfReplacement(text: string, { find, replace = '' }: FailedEdit): Span[] {
  if (replace.trim().length < 4 || find.includes(replace)) return []
  return occurrencesAnyEnding(text, replace)
}

function linesOf(text: string, spans: readonly Span[]): number[] {
  const table = lineTable(text)
  return spans.map(({ start }) => table.lineAt(start))
}
