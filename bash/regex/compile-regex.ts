/**
 * Regular expressions of the shell's programs. POSIX wants the leftmost match and of these the longest, and the texts are
 * not to be trusted: a search first finds where a match starts, in bounded time and mostly with the platform's RegExp;
 * where its match may not be the longest, a matcher of our own finds that from the same start.
 */
import { minLength, type Pattern, some } from '../../src/search/patterns/regex/ast.js'
import { findNatively } from '../../src/search/patterns/regex/compile.js'
import { compileBounded } from './bounded.js'
import { forgetsGroups } from './forgets-groups.js'
import { closeOverGnuCase } from './gnu-case.js'
import { isFirstLongest } from './greedy.js'
import { instructionsOf } from './instructions.js'
import { literalRegex, plainText } from './literal.js'
import { type LongestMatcher, longestMatcher } from './longest.js'
import { compilePerl } from './perl.js'
import { globalExpression, platformExpression } from './platform.js'
import { parsePosix } from './posix-parse.js'
import { type PosixSyntax, posixSyntaxes } from './syntax.js'
import type { RegexMatch, RegexOptions, ShellRegex } from './types.js'

const cacheSize = 200
const cache = new Map<string, ShellRegex>()

/** Throws a `RegexError` with the message of the C library. */
export function compileRegex(source: string, options: RegexOptions): ShellRegex {
  const { syntax, ignoreCase = false, newline = false, lines = false, captures = true, bytes = false } = options
  const key = `${syntax}/${ignoreCase}/${newline}/${lines}/${captures}/${bytes}/${source}`
  const known = cache.get(key)
  if (known !== undefined) {
    cache.delete(key)
    cache.set(key, known)
    return known
  }
  const made =
    syntax === 'perl'
      ? compilePerl(source, { ignoreCase, newline, lines, bytes })
      : compilePosix(source, { syntax, ignoreCase, newline, lines, captures, bytes })
  cache.set(key, made)
  if (cache.size > cacheSize) cache.delete(cache.keys().next().value as string)
  return made
}

interface PosixOptions extends Required<RegexOptions> {
  syntax: PosixSyntax
}

function compilePosix(source: string, options: PosixOptions): ShellRegex {
  const { ignoreCase, newline, lines, captures, bytes } = options
  const warnings: string[] = []
  const pattern = parsePosix(source, {
    rules: { ...posixSyntaxes[options.syntax], bytes },
    ignoreCase,
    newline,
    stray: (character) => warnings.push(`stray \\ before ${character}`),
  })
  return posixRegex(pattern, source, { lines, captures, warnings })
}

interface PosixRegexOptions {
  lines: boolean
  captures: boolean
  warnings: readonly string[]
}

/** Also for patterns that are put together of several. */
export function posixRegex(
  pattern: Pattern,
  source: string,
  { lines, captures, warnings }: PosixRegexOptions,
): ShellRegex {
  const { root } = pattern
  const plain = plainText(root)
  if (plain !== undefined) return literalRegex(plain, warnings)
  const keepsGroups = captures && pattern.groups > 0
  const refers = some(root, ({ kind }) => kind === 'back-reference')
  const bounded = compileBounded(pattern, source, lines, closeOverGnuCase)
  const isNative = isFirstLongest(root) && !(keepsGroups && forgetsGroups(root))
  const expression = isNative && keepsGroups ? platformExpression(root) : undefined
  const global = once(() => (refers ? undefined : globalExpression(root)))
  const canBeEmpty = minLength(root) === 0
  let matcher: LongestMatcher | undefined

  /** The start of the leftmost match, with the end that a RegExp gives it. */
  function find(text: string, from: number): { start: number; end: number } | undefined {
    const quick = global()
    if (quick?.isCheapFor(text.length)) return findNatively(quick.expression, text, from)
    const span = bounded.find(text, from)
    if (span !== 'too-expensive' && span !== 'stopped') return span
    for (let start = from; start <= text.length; start += 1) {
      const found = longest(text, start)
      if (found !== undefined) return found
    }
    return undefined
  }

  function longest(text: string, start: number): RegexMatch | undefined {
    matcher ??= longestMatcher(instructionsOf(root, pattern.groups, keepsGroups))
    const slots = matcher.match(text, start)
    if (slots === undefined) return undefined
    const groups: RegexMatch['groups'] = []
    if (keepsGroups) {
      for (let group = 1; group <= pattern.groups; group += 1) {
        const low = slots[2 * group] as number
        const high = slots[2 * group + 1] as number
        groups.push(low < 0 || high < low ? undefined : [low, high])
      }
    }
    return { start, end: slots[1] as number, groups }
  }

  function exec(text: string, from = 0): RegexMatch | undefined {
    let span = find(text, from)
    if (span === undefined) return undefined
    if (isNative) {
      if (!keepsGroups) return { ...span, groups: [] }
      const groups = expression?.groupsAt(text, span.start, span.end)
      if (groups !== undefined) return { ...span, groups }
    }
    // A RegExp takes a reference to a group without a match for empty text; here it fails, and the search goes on.
    while (span !== undefined) {
      const found = longest(text, span.start)
      if (found !== undefined) return found
      if (!refers) return undefined
      span = find(text, span.start + 1)
    }
    return undefined
  }

  return {
    groups: pattern.groups,
    exec,
    test: (text, from = 0) => (refers ? exec(text, from) !== undefined : find(text, from) !== undefined),
    literals: bounded.literals,
    globalFor(text) {
      if (!isNative || canBeEmpty) return undefined
      const quick = global()
      return quick?.isCheapFor(text.length) ? quick.expression : undefined
    },
    warnings,
  }
}

function once<Result>(make: () => Result): () => Result {
  let made: { result: Result } | undefined
  return () => {
    made ??= { result: make() }
    return made.result
  }
}
