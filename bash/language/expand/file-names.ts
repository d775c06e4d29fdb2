/** Pathname expansion of fields. */
import { expandGlob } from '../patterns/glob.js'
import { ExpansionFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import { type Steps, wait } from '../run/state/steps.js'
import { joinSegments, type Segment } from './sinks.js'

export function hasGlob(shell: Shell, segments: readonly Segment[]): boolean {
  const special = shell.options.has('extglob') ? /[*?]|[+@!]\(/ : /[*?]/
  let opened = false
  for (const { text, quoted } of segments) {
    if (quoted) continue
    if (special.test(text)) return true
    // A bracket only counts when it is closed.
    if (opened ? text.includes(']') : /\[.*\]/s.test(text)) return true
    opened ||= text.includes('[')
  }
  return false
}

export function* expandFileNames(shell: Shell, segments: readonly Segment[]): Steps<string[]> {
  const { options } = shell
  const found = yield* wait(
    expandGlob(segments, {
      cwd: shell.cwd,
      files: shell.files,
      dotglob: options.has('dotglob'),
      globstar: options.has('globstar'),
      nocaseglob: options.has('nocaseglob'),
      extglob: options.has('extglob'),
      step: () => shell.work(),
    }),
  )
  if (found.length > 0) return found
  if (options.has('failglob')) throw new ExpansionFailure(`no match: ${joinSegments(segments)}`)
  return options.has('nullglob') ? [] : [joinSegments(segments)]
}
