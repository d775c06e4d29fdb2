import type { MatcherSpec } from '../search/patterns/matcher.js'
import { regexSearch } from '../search/patterns/regex-search.js'
import type { FileMatches } from '../search/run/records.js'
import type { RegexSearch } from '../text/edit/match/regex.js'
import { operation } from './operation.js'
import { type SearchText, searchText } from './search-text.js'

/** A text that was found, and how often. */
export interface Tallied {
  value: string
  count: number
  first: TallyPlace
  last: TallyPlace
}

export interface TallyPlace {
  path: string
  line: number
}

export interface TallyText {
  /** Most frequent first, then in the order in which they were found. */
  values: Tallied[]
  /** Further ones were found, and not counted. */
  isCut: boolean
  /** What was searched, without the lines. */
  found: SearchText
}

/** More different values, and more text of lines, are not kept. */
const mostValues = 100_000
const mostTextBytes = 256 << 20

/** Counts what a pattern finds, by value: the first group of each match, or all of it where there is no group or it takes no part. */
export const tallyText = operation({
  mutates: false,
  /** As for a search. The pattern is an ECMAScript one, or literal. */
  input: searchText.input,

  async run(input, workspace, context): Promise<TallyText> {
    const { matcher } = input.request
    const request = { ...input.request, mode: 'content' as const, before: 0, after: 0, maxTextBytes: mostTextBytes }
    const found = await searchText.run({ ...input, request }, workspace, context)
    return { ...tallied(found.files, valuesOf(matcher)), found: { ...found, files: [] } }
  },
})

function valuesOf({ pattern, syntax, ignoreCase = false, multiline = false }: MatcherSpec): RegexSearch {
  const source = syntax === 'literal' ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : pattern
  return regexSearch(source, { ignoreCase, dotAll: multiline })
}

function tallied(files: readonly FileMatches[], search: RegexSearch): Pick<TallyText, 'values' | 'isCut'> {
  const counts = new Map<string, Tallied>()
  let isCut = false
  for (const { path, records } of files) {
    for (const record of records) {
      if (record.kind !== 'match') continue
      let line = record.line
      let passed = 0
      for (const { start, groups } of search(record.text)) {
        for (; passed < start; passed += 1) if (record.text[passed] === '\n') line += 1
        const value = groups[1] ?? groups[0] ?? ''
        const known = counts.get(value)
        if (known !== undefined) {
          known.count += 1
          known.last = { path, line }
        } else if (counts.size < mostValues) {
          counts.set(value, { value, count: 1, first: { path, line }, last: { path, line } })
        } else isCut = true
      }
    }
  }
  const values = [...counts.values()].sort((one, other) => other.count - one.count)
  return { values, isCut }
}
