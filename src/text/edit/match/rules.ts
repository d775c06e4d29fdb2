/** Rules for finding a literal text, strictest first. The first rule that finds anything decides. */
import { type LineTable, lazyLineTable } from '../../lines/lines.js'
import { type EditedText, plainText } from '../edited-text.js'
import { type Block, type BlockRule, blockLines, findBlocks } from './blocks.js'
import { foldLookAlikes, hasLookAlikes, type Span } from './fold.js'
import { occurrences, occurrencesAnyEnding, occurrencesIn } from './literal.js'

export type MatchRule = 'exact' | 'line-endings' | BlockRule | 'trimmed-substring' | 'look-alikes'

/** All rules, strictest first. */
export const matchRules = [
  'exact',
  'line-endings',
  'indentation',
  'trimmed-lines',
  'collapsed-whitespace',
  'trimmed-substring',
  'look-alikes',
] as const satisfies readonly MatchRule[]

/** A place that matched; with line numbers if it is whole lines. */
export type Match = Span & Partial<Block>

export interface Found {
  rule: MatchRule
  matches: Match[]
}

export interface FindOptions {
  rules: readonly MatchRule[]
  caseInsensitive?: boolean
  /** Which places count; others are ignored. */
  accept?: (span: Span) => boolean
  /** The lines of the text, if known. */
  lines?: () => LineTable
}

/** The places of `find` by the first rule that finds any. */
export function findMatches(given: string | EditedText, find: string, options: FindOptions): Found | undefined {
  const text = typeof given === 'string' ? plainText(given) : given
  const { rules, caseInsensitive = false, accept = () => true, lines = lazyLineTable(text.text) } = options
  for (const rule of rules) {
    const matches = search(text, find, { rule, rules, caseInsensitive, lines }).filter(
      (match) => accept(match) && (isStrict(rule) || isProportionate(text, match, find)),
    )
    if (matches.length > 0) return { rule: wasRaw(text, find, matches, rule) ? 'exact' : rule, matches }
  }
  return undefined
}

/** Whether a rule ignores nothing but line endings. */
export function isStrict(rule: MatchRule): boolean {
  return rule === 'exact' || rule === 'line-endings'
}

function search(
  text: EditedText,
  find: string,
  { rule, rules, caseInsensitive, lines }: Required<Omit<FindOptions, 'accept'>> & { rule: MatchRule },
): Match[] {
  switch (rule) {
    case 'exact':
      // A text of several lines sent with LF means those lines, whatever their endings: in a file of mixed endings
      // a raw search would miss places and take an ambiguous text for a unique one.
      if (rules.includes('line-endings') && find.includes('\n') && !find.includes('\r')) return []
      return occurrencesIn(text, find, { caseInsensitive })
    case 'line-endings':
      return occurrencesAnyEnding(text, find, { caseInsensitive })
    case 'indentation':
    case 'trimmed-lines':
    case 'collapsed-whitespace':
      return findBlocks(text.text, find, rule, { sameEndings: !rules.includes('line-endings'), lines })
    case 'trimmed-substring':
      return find.trim() === find ? [] : occurrencesAnyEnding(text, find.trim())
    case 'look-alikes': {
      if (!hasLookAlikes(find) && !hasLookAlikes(text.text)) return []
      const folded = foldLookAlikes(text.text)
      const wanted = foldLookAlikes(find).text
      // A text of invisible characters or white space alone would be found almost everywhere.
      if (wanted.trim() === '') return []
      return occurrences(folded.text, wanted).flatMap((span) => folded.raw(span) ?? [])
    }
  }
}

function wasRaw(text: EditedText, find: string, matches: readonly Match[], rule: MatchRule): boolean {
  const endings = (part: string) => part.replace(/[^\r\n]+/g, '')
  return rule === 'line-endings' && matches.every(({ start, end }) => endings(text.slice(start, end)) === endings(find))
}

/** A tolerant match must not replace much more than was sent: not twice the lines, nor 500 characters more. */
function isProportionate(text: EditedText, { start, end, first }: Match, find: string): boolean {
  if (end - start >= find.length + 500) return false
  // A match of whole lines has as many lines as the search text.
  return first !== undefined || blockLines(text.slice(start, end)).length < 2 * Math.max(1, blockLines(find).length)
}
