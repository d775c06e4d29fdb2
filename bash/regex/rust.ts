/** Regular expressions as ripgrep reads them. */
import { isFsError } from '../../src/errors.js'
import { mapSets } from '../../src/search/patterns/regex/ast.js'
import { intersection } from '../../src/search/patterns/regex/code-points.js'
import { parse } from '../../src/search/patterns/regex/parse.js'
import { anyCharacter } from './character-sets.js'
import { firstMatchRegex } from './first-match.js'
import { RegexError } from './regex-error.js'
import type { ShellRegex } from './types.js'

export interface RustRegex {
  regex: ShellRegex
  /** The numbers of groups with names. */
  names: ReadonlyMap<string, number>
}

const maxLength = 100_000

export function compileRust(source: string, { ignoreCase }: { ignoreCase: boolean }): RustRegex {
  const { root, groups, names = new Map() } = parsed(source, ignoreCase)
  const pattern = {
    root: mapSets(root, (set) => intersection(set, anyCharacter)),
    allGroups: groups,
    groups: Array.from({ length: groups }, (_, index) => index + 1),
    keeps: [],
  }
  return { regex: firstMatchRegex(pattern, source, true), names }
}

function parsed(source: string, ignoreCase: boolean): ReturnType<typeof parse> {
  try {
    return parse(source, { syntax: 'rust', ignoreCase, dotAll: false, maxLength, maxNesting: 200 })
  } catch (error) {
    if (!isFsError(error)) throw error
    throw new RegexError(error.message)
  }
}
