/** Rules with patterns, and the directories in which patterns of names are looked for. */
import type { Pattern } from './characters.js'
import type { Dependency, Recipe } from './files.js'

export interface PatternRule {
  targets: readonly Pattern[]
  deps: readonly Dependency[]
  recipe: Recipe | undefined
  /** With `::`: what it needs must be there. */
  isTerminal: boolean
  isInUse?: boolean
}

export interface SearchPath {
  pattern: Pattern
  directories: readonly string[]
}
