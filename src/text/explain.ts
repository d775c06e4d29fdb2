/** Why a text was not found, and what stands there instead. */
import type { EditExplanation, EditFailureCause } from '../errors.js'
import { type LineTable, lazyLineTable } from './lines.js'
import { isBlank } from './match/blocks.js'
import { foldLineEndings, type Span } from './match/fold.js'
import { occurrences, occurrencesAnyEnding } from './match/literal.js'
import { regardlessOfWhitespace } from './match/regardless.js'
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
  const lines = lazyLineTable(text)
  const applied = placesOfReplacement(text, edit)
  for (const { cause, search } of attempts) {
    const places = search({ text, lines }, edit.find)
    if (places.length === 0) continue
    if (places.every((place) => applied.some((other) => other.start <= place.start && place.end <= other.end))) {
      return { cause: 'already-applied', lines: numbersOf(applied, lines) }
    }
    const { start, end } = places[0]!
    const suggestion = text.slice(start, end)
    return { cause: cause(edit.find, suggestion), suggestion, lines: numbersOf(places, lines) }
  }
  if (applied.length > 0) return { cause: 'already-applied', lines: numbersOf(applied, lines) }

  const numbered = withoutLineNumbers(edit.find).find(({ certain }) => certain)
  const similar = mostSimilar(text, numbered?.text ?? edit.find, lines)
  const nearest = similar && similar.similarity >= tellable ? { nearest: similar, suggestion: similar.text } : {}
  if (numbered) return { cause: 'line-number-prefixes', ...nearest }
  const earlier = earlierVersions.find((version) => occurrencesAnyEnding(version, edit.find).length > 0)
  if (earlier !== undefined) return { cause: 'matches-earlier-version', ...nearest, earlier }
  return { cause: similar && similar.similarity >= alike ? 'similar-text' : 'absent', ...nearest }
}

/** Below this the nearest text is not worth telling; from the other on it is what was meant. */
const tellable = 0.4
const alike = 0.6

interface Attempt {
  cause: (find: string, found: string) => EditFailureCause
  search: (file: File, find: string) => Span[]
}

interface File {
  text: string
  lines: () => LineTable
}

const attempts: readonly Attempt[] = [
  { cause: () => 'other-lines', search: ({ text }, find) => occurrences(text, find) },
  {
    cause: () => 'byte-order-mark',
    search: (file, find) => (find.includes('\ufeff') ? tolerantly(file, find.replaceAll('\ufeff', '')) : []),
  },
  { cause: () => 'line-endings', search: ({ text }, find) => occurrencesAnyEnding(text, find) },
  {
    cause: (find, found) => (find.includes('\t') === found.includes('\t') ? 'whitespace' : 'tabs-and-spaces'),
    search: (file, find) => orElse(places(file, find, whitespaceRules), () => regardlessOfWhitespace(file.text, find)),
  },
  {
    cause: () => 'line-number-prefixes',
    search: (file, find) =>
      firstFound(
        file,
        withoutLineNumbers(find).map((variant) => variant.text),
      ),
  },
  { cause: () => 'escaped-text', search: (file, find) => firstFound(file, unescapedVariants(find)) },
  { cause: () => 'look-alike-characters', search: (file, find) => places(file, find, ['look-alikes']) },
  {
    cause: () => 'letter-case',
    search: ({ text }, find) => occurrencesAnyEnding(text, find, { caseInsensitive: true }),
  },
]

const whitespaceRules = ['indentation', 'trimmed-lines', 'collapsed-whitespace', 'trimmed-substring'] as const

function places({ text, lines }: File, find: string, rules: readonly MatchRule[]): Span[] {
  return findMatches(text, find, { rules, lines })?.matches ?? []
}

function tolerantly(file: File, find: string): Span[] {
  return places(file, find, ['exact', 'line-endings', ...whitespaceRules])
}

function firstFound(file: File, variants: readonly string[]): Span[] {
  for (const variant of variants) {
    const found = isBlank(variant) ? [] : tolerantly(file, variant)
    if (found.length > 0) return found
  }
  return []
}

function orElse(found: Span[], next: () => Span[]): Span[] {
  return found.length > 0 ? found : next()
}

/** As the reading tools number lines: `     1⇥`, `1→`, `1 | `, `12: `, and `12:` or `12-` of a search. */
const linePrefixes = [/^\s*\d+\t/, /^\s*\d+→/, /^\s*\d+ ?\| ?/, /^\s*(?:>\s*)?\d+: /, /^\s*\d+[:-]/]

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

function numbersOf(spans: readonly Span[], lines: () => LineTable): number[] {
  return spans.map(({ start }) => lines().lineAt(start))
}
