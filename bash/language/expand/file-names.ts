/** Pathname expansion of fields. */
import { expandGlob } from '../patterns/glob.js'
import { compilePattern } from '../patterns/pattern.js'
import { ExpansionFailure } from '../run/state/jumps.js'
import type { Shell } from '../run/state/shell.js'
import { type Steps, wait } from '../run/state/steps.js'
import { inCharacters } from './locale.js'
import { joinSegments, type Segment } from './sinks.js'
import { readText } from './variable-access.js'

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
  const isIgnored = ignoredNames(shell)
  const matching = yield* wait(
    expandGlob(segments, {
      cwd: shell.cwd,
      files: shell.files,
      dotglob: options.has('dotglob'),
      globstar: options.has('globstar'),
      nocaseglob: options.has('nocaseglob'),
      extglob: options.has('extglob'),
      globskipdots: options.has('globskipdots'),
      inCharacters: (text) => inCharacters(shell, text),
      step: () => shell.work(),
    }),
  )
  const found = isIgnored === undefined ? matching : matching.filter((path) => !isIgnored(path))
  if (found.length > 0) return found
  if (options.has('failglob')) throw new ExpansionFailure(`no match: ${joinSegments(segments)}`)
  return options.has('nullglob') ? [] : [joinSegments(segments)]
}

/**
 * What `GLOBIGNORE` takes away, unless it comes from the environment. A value of it makes names with a leading dot match,
 * until it is unset.
 */
export function ignoredNames(shell: Shell): ((path: string) => boolean) | undefined {
  const value = readText(shell, 'GLOBIGNORE')
  if (value !== shell.globIgnore) {
    if (value === undefined) shell.options.set('dotglob', false)
    else if (value !== '') shell.options.set('dotglob', true)
    shell.globIgnore = value
    shell.ignoresNames = value !== undefined && value !== ''
  }
  if (value === undefined || !shell.ignoresNames) return undefined
  const rules = { extglob: shell.options.has('extglob'), nocase: shell.options.has('nocaseglob'), paths: true }
  const patterns = splitPatterns(value).map((text) => compilePattern([{ text, quoted: false }], rules))
  return (path) => path === '.' || path === '..' || patterns.some((pattern) => pattern.matches(path))
}

/** At the colons that are not escaped and not in brackets. */
function splitPatterns(value: string): string[] {
  return value.match(/(?:\\.|\[(?:[!^]?\]?)(?:\[:\w+:\]|[^\]])*\]|[^:])+/gs) ?? []
}
