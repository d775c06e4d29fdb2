/** Operations on the text of a parameter that use patterns. */

import { joinedText } from '../../io/byte-text.js'
import { compilePattern, type Pattern } from '../patterns/pattern.js'
import type { Shell } from '../run/state/shell.js'
import type { ParameterOperation } from '../syntax/ast.js'
import { changeCharacters, inCharacters, segmentsInCharacters } from './locale.js'
import { joinSegments, type Segment } from './sinks.js'
import { lower, upper } from './transform.js'

export function patternOf(shell: Shell, segments: readonly Segment[], extglob = shell.options.has('extglob')): Pattern {
  return compilePattern(segmentsInCharacters(shell, segments), { extglob, nocase: shell.options.has('nocasematch') })
}

type Remove = Extract<ParameterOperation, { type: 'remove' }>
type Case = Extract<ParameterOperation, { type: 'case' }>
type Replace = Extract<ParameterOperation, { type: 'replace' }>

export function removeAffix(
  shell: Shell,
  text: string,
  pattern: readonly Segment[],
  { side, longest }: Pick<Remove, 'side' | 'longest'>,
): string {
  const compiled = compilePattern(segmentsInCharacters(shell, pattern), { extglob: shell.options.has('extglob') })
  return changeCharacters(shell, text, (given) =>
    side === 'prefix' ? compiled.removePrefix(given, longest) : compiled.removeSuffix(given, longest),
  )
}

export function replaceIn(
  shell: Shell,
  text: string,
  pattern: readonly Segment[],
  where: Replace['where'],
  replacement: readonly Segment[],
): string {
  if (pattern.length === 0 && where !== 'prefix' && where !== 'suffix') return text
  const compiled = patternOf(shell, pattern)
  const refersToMatch =
    shell.options.has('patsub_replacement') &&
    replacement.some(({ text: part, quoted }) => !quoted && part.includes('&'))
  if (!refersToMatch) {
    const fixed = joinSegments(replacement)
    return changeCharacters(shell, text, (given) => compiled.replace(given, where, () => fixed))
  }
  const replaced = (matched: string) =>
    replacement
      .map(({ text: part, quoted }) =>
        quoted ? part : part.replace(/\\([&\\])|&/g, (_whole, escaped: string | undefined) => escaped ?? matched),
      )
      .join('')
  return changeCharacters(shell, text, (given) => compiled.replace(given, where, replaced))
}

/** Whether a text matches a pattern as a whole. */
export function matchesPattern(
  shell: Shell,
  text: string,
  segments: readonly Segment[],
  extglob = shell.options.has('extglob'),
): boolean {
  return patternOf(shell, segments, extglob).matches(inCharacters(shell, text))
}

export function changeCase(
  shell: Shell,
  text: string,
  { to, all }: Case,
  pattern: readonly Segment[] | undefined,
): string {
  const compiled = pattern && compilePattern(pattern, { extglob: shell.options.has('extglob') })
  const change = (character: string) => {
    if (compiled !== undefined && !compiled.matches(character)) return character
    if (to === 'upper') return upper(character)
    if (to === 'lower') return lower(character)
    return lower(character) === character ? upper(character) : lower(character)
  }
  const characters = inCharacters(shell, text)
  if (characters !== text)
    return joinedText(
      all ? Array.from(characters, change).join('') : change(characters.charAt(0)) + characters.slice(1),
    )
  if (all) {
    if (compiled === undefined && to === 'upper') return upper(text)
    if (compiled === undefined && to === 'lower') return lower(text)
    return Array.from(text, change).join('')
  }
  const [first = '', ...rest] = [...text]
  return change(first) + rest.join('')
}
