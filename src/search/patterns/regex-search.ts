import { FsError } from '../../errors.js'
import type { RegexMatch, RegexSearch } from '../../text/edit/match/regex.js'
import { cutUnits } from '../../text/lines/lines.js'
import { type Node, some } from './regex/ast.js'
import { overlaps } from './regex/code-points.js'
import { compile, maxNativeSteps, type Regex, type Span } from './regex/compile.js'
import { parse } from './regex/parse.js'
import { print } from './regex/print.js'

export interface RegexSearchOptions {
  ignoreCase?: boolean
  /** `.` matches line ends. `^` and `$` are the edges of lines either way. */
  dotAll?: boolean
}

/** Context around a match that its groups may depend on. */
const surroundingsUnits = 200

/**
 * Finds every match of an ECMAScript pattern in a text, with its groups, for replacing. Its time is bounded; where that is not possible it
 * fails with `PATTERN_TOO_COMPLEX`.
 */
export function regexSearch(
  source: string,
  { ignoreCase = false, dotAll = false }: RegexSearchOptions = {},
): RegexSearch {
  const pattern = parse(source, { syntax: 'ecmascript', ignoreCase, dotAll, maxLength: 1_000, maxNesting: 50 })
  const regex = compile(pattern, { multiline: true, source, groups: true })
  let grouping: RegExp | undefined

  /** The bounded engine has found the match; the platform's engine finds its groups within that part of the text. */
  function groupsOf(text: string, { start, end }: Span): (string | undefined)[] {
    if (pattern.groups === 0) return [text.slice(start, end)]
    const from = Math.max(0, start - surroundingsUnits)
    const stretch = text.slice(from, end + surroundingsUnits)
    const isCheap = regex.cost.from(stretch.length, 1) <= maxNativeSteps
    grouping ??= new RegExp(print(pattern.root), 'uy')
    grouping.lastIndex = start - from
    const match = isCheap ? grouping.exec(stretch) : null
    if (match?.[0].length !== end - start) throw tooComplex(source, 'its groups take too long to find')
    return [...match]
  }

  function* search(text: string): Generator<RegexMatch> {
    for (let from = 0; from <= text.length; ) {
      const found = regex.find(text, from)
      if (found === undefined) return
      if (typeof found === 'string') throw tooComplex(source, 'it can be tried in very many ways')
      const { start, end, groups = groupsOf(text, found) } = found
      yield pattern.names?.size ? { start, end, groups, named: named(pattern.names, groups) } : { start, end, groups }
      // An empty match is followed by a whole character: inside a surrogate pair the same match would be found again.
      from = found.end > found.start ? found.end : found.end + (text.codePointAt(found.end)! > 0xffff ? 2 : 1)
    }
  }
  return Object.assign(search, { inLines: isOfLines(pattern.root) ? needlesOf(regex) : undefined })
}

/** Whether a match lies in one line and depends on that line alone. */
function isOfLines(root: Node): boolean {
  return !some(root, (node) => {
    if (node.kind === 'set') return overlaps(node.set, [0x0a, 0x0a, 0x0d, 0x0d])
    return node.kind === 'look' || (node.kind === 'edge' && node.at.startsWith('text'))
  })
}

function needlesOf({ literals }: Regex): readonly string[] | undefined {
  if (literals === undefined || literals.needles.some(({ folded, text }) => folded || text === '')) return undefined
  return literals.needles.map(({ text }) => text)
}

function named(names: ReadonlyMap<string, number>, groups: readonly (string | undefined)[]): RegexMatch['named'] & {} {
  // Without a prototype, so that there are no names but those of the pattern.
  const byName: Record<string, string | undefined> = Object.create(null)
  for (const [name, group] of names) byName[name] = groups[group]
  return byName
}

function tooComplex(source: string, reason: string): FsError {
  return new FsError('PATTERN_TOO_COMPLEX', { pattern: cutUnits(source, 200), reason })
}
