/** Patterns of zip and unzip: `*` matches slashes too. */
import { nameMatcher } from '../compare/name-matcher.js'

export function zipNameMatcher(pattern: string): (name: string) => boolean {
  return nameMatcher(pattern)
}
