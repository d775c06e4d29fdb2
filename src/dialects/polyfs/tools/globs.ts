/** The parameters that select files by name, the same in every tool. */
import * as z from 'zod'
import { type Selection, selectGlobs } from '../../../ops/shared/selection.js'

/** Globs or paths. A single one may be sent as it is; one that looks like a list in JSON is left to those who read that. */
export const strings = z
  .preprocess(
    (given) => (typeof given === 'string' && !/^\s*\[\s*"/.test(given) ? [given] : given),
    z.array(z.string()),
  )
  .exactOptional()

/** What to include and exclude: `glob` with or without `!`, `exclude`, and what is never searched. */
export function globsOf(
  glob: string | readonly string[] | undefined,
  given: readonly string[] | undefined,
  always: readonly string[],
): Pick<Selection, 'include' | 'exclude'> {
  const selected = selectGlobs(glob === undefined ? [] : [glob].flat(), given)
  return { ...selected, exclude: [...always, ...selected.exclude] }
}
