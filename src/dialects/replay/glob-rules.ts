import type { GlobRules } from '../../ops/shared/selection.js'

/** What a pattern means in every tool. */
export const includeRules: GlobRules = {
  slashless: 'any-depth',
  starCrosses: false,
  ignoreCase: true,
  dot: true,
  absolute: true,
}

/** A plain name to exclude is a path from the directory. */
export const excludeRules: GlobRules = { ...includeRules, slashless: 'wild-at-any-depth' }
