/** Perl's regular expressions. */
import { mapSets } from '../../src/search/patterns/regex/ast.js'
import { type CodePoints, codePoints, intersection, union } from '../../src/search/patterns/regex/code-points.js'
import { firstMatchRegex } from './first-match.js'
import { parsePerl } from './perl-parse.js'
import type { ShellRegex } from './types.js'

export interface PerlOptions {
  ignoreCase: boolean
  newline: boolean
  lines: boolean
  /** Bytes that are not UTF-8 are characters, as in the locale C. */
  bytes: boolean
}

export function compilePerl(source: string, { ignoreCase, newline, lines, bytes }: PerlOptions): ShellRegex {
  const pattern = parsePerl(source, { ignoreCase, multiline: newline || lines })
  return firstMatchRegex(bytes ? { ...pattern, root: mapSets(pattern.root, ofBytes) } : pattern, source, lines)
}

/** The characters from U+0080 to U+00FF are bytes, as they are in Perl. */
function ofBytes(set: CodePoints): CodePoints {
  const high = intersection(set, [0x80, 0xff])
  return union(
    intersection(
      set,
      codePoints([
        [0, 0x7f],
        [0xdc80, 0xdcff],
      ]),
    ),
    high.map((code) => code + 0xdc00),
  )
}
