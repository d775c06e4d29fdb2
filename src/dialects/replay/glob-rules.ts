import type { GlobRules } from '../../ops/shared/selection.js'

/** The meaning of a pattern in every tool. */
export const includeRules: GlobRules = {
  slashless: 'any-depth',
  starCrosses: false,
  ignoreCase: true,
  dot: true,
  absolute: true,
}

/** A name without wildcards is a path relative to the directory. */
export const excludeRules: GlobRules = { ...includeRules, slashless: 'wild-at-any-depth' }
