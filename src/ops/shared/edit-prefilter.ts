/** A search that finds all files which edits may change, so that the others need not be opened. */
import type { MatcherSpec } from '../../search/patterns/matcher.js'
import { parse } from '../../search/patterns/regex/parse.js'
import { requiredLiterals } from '../../search/patterns/regex/required-literals.js'

type SearchedEdit =
  | { kind: 'literal'; find: string; caseInsensitive?: boolean }
  | { kind: 'regex'; pattern: string; caseInsensitive?: boolean }
  | { kind: 'lines' | 'insert' }

/** More would be slower to search for than to open the files. */
const mostNeedles = 64
const mostUnits = 100
/** Escapes take up to four characters. */
const maxPattern = mostNeedles * (4 * mostUnits + 1)

/**
 * A pattern that matches in every file in which one of the edits may find something; undefined where that may be any file. It consists of
 * ASCII without line breaks: its bytes are the same in nearly all encodings and whatever the line endings.
 */
export function editPrefilter(edits: readonly SearchedEdit[]): MatcherSpec | undefined {
  const needles = new Set<string>()
  let ignoreCase = false
  for (const edit of edits) {
    const required = requiredTexts(edit)
    if (required === undefined) return undefined
    for (const { text, folded } of required) {
      const needle = longestPart(text)
      if (needle === '' || needles.size >= mostNeedles) return undefined
      needles.add(needle)
      ignoreCase ||= folded
    }
  }
  const pattern = [...needles].map(escaped).join('|')
  return { pattern, syntax: 'ecmascript', ignoreCase, maxLength: maxPattern }
}

/** Texts of which each match contains one; undefined if there are no such texts. */
function requiredTexts(edit: SearchedEdit): readonly { text: string; folded: boolean }[] | undefined {
  if (edit.kind === 'literal') return [{ text: edit.find, folded: edit.caseInsensitive ?? false }]
  if (edit.kind !== 'regex') return undefined
  const { pattern, caseInsensitive: ignoreCase = false } = edit
  const { root } = parse(pattern, { syntax: 'ecmascript', ignoreCase, dotAll: false, maxLength: 1_000, maxNesting: 50 })
  return requiredLiterals(root)?.needles
}

/** The longest part without line breaks and characters beyond ASCII. */
function longestPart(text: string): string {
  const parts = text.split(/[^\t -~]+/)
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '').slice(0, mostUnits)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (character) => `\\x${character.charCodeAt(0).toString(16)}`)
}
