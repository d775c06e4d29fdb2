/** The right-hand side of `s`: text, groups and changes of letter case. */
import type { TextLocale } from '../../io/locale.js'
import type { RegexMatch } from '../../regex/index.js'
import { characterEscape } from './escapes.js'

type CaseMode = 'upper' | 'lower' | 'none'

type Part =
  | { kind: 'text'; text: string }
  /** 0 is the whole match. */
  | { kind: 'group'; group: number }
  | { kind: 'case'; mode: CaseMode }
  /** For the next character alone. */
  | { kind: 'next-case'; mode: 'upper' | 'lower' }

export interface Replacement {
  parts: readonly Part[]
  /** The highest group it refers to. */
  maxGroup: number
  /** The text, when it is always the same. */
  plain: string | undefined
  /** The same for `String.replace`, unless letter case changes. */
  template: string | undefined
  /** Groups that the expression does not have are empty. */
  isLenient: boolean
}

const caseLetters: Readonly<Record<string, Part>> = {
  U: { kind: 'case', mode: 'upper' },
  L: { kind: 'case', mode: 'lower' },
  E: { kind: 'case', mode: 'none' },
  u: { kind: 'next-case', mode: 'upper' },
  l: { kind: 'next-case', mode: 'lower' },
}

interface ReplacementOptions {
  locale: TextLocale
  /** Letter case does not change. */
  posix: boolean
}

export function parseReplacement(source: string, { locale, posix }: ReplacementOptions): Replacement {
  const parts: Part[] = []
  let text = ''
  let maxGroup = 0

  function add(part: Part): void {
    if (text !== '') parts.push({ kind: 'text', text: locale.text(text) })
    text = ''
    parts.push(part)
  }

  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] as string
    if (character === '&') {
      add({ kind: 'group', group: 0 })
      continue
    }
    if (character !== '\\') {
      text += character
      continue
    }
    at += 1
    const letter = source[at]
    if (letter === undefined) {
      text += '\\'
      break
    }
    if (letter >= '0' && letter <= '9') {
      maxGroup = Math.max(maxGroup, Number(letter))
      add({ kind: 'group', group: Number(letter) })
      continue
    }
    const change = posix ? undefined : caseLetters[letter]
    if (change !== undefined) {
      add(change)
      continue
    }
    if (letter === 'c' && source[at + 1] === undefined) {
      text += '\\'
      break
    }
    const found = characterEscape(source, at)
    text += found?.character ?? letter
    if (found !== undefined) at = found.next - 1
  }
  text = locale.text(text)
  if (text !== '') parts.push({ kind: 'text', text })
  const isPlain = parts.every(({ kind }) => kind === 'text')
  return {
    parts,
    maxGroup,
    plain: isPlain ? text : undefined,
    template: posix ? undefined : templateOf(parts),
    isLenient: posix,
  }
}

function templateOf(parts: readonly Part[]): string | undefined {
  let template = ''
  for (const part of parts) {
    if (part.kind === 'text') template += part.text.replaceAll('$', '$$$$')
    else if (part.kind === 'group') template += part.group === 0 ? '$&' : `$0${part.group}`
    else return undefined
  }
  return template
}

export function expand({ parts, plain }: Replacement, source: string, match: RegexMatch): string {
  if (plain !== undefined) return plain
  let result = ''
  let mode: CaseMode = 'none'
  let next: 'upper' | 'lower' | undefined
  for (const part of parts) {
    if (part.kind === 'case') {
      mode = part.mode
      next = undefined
      continue
    }
    if (part.kind === 'next-case') {
      next = part.mode
      continue
    }
    const text = part.kind === 'text' ? part.text : groupText(source, match, part.group)
    if (text === '') continue
    result += changeCase(text, mode, next)
    next = undefined
  }
  return result
}

function groupText(source: string, { start, end, groups }: RegexMatch, group: number): string {
  if (group === 0) return source.slice(start, end)
  const span = groups[group - 1]
  return span === undefined ? '' : source.slice(span[0], span[1])
}

function changeCase(text: string, mode: CaseMode, next: 'upper' | 'lower' | undefined): string {
  if (mode === 'none' && next === undefined) return text
  const characters = Array.from(text)
  return characters
    .map((character, index) => changeCharacter(character, index === 0 && next !== undefined ? next : mode))
    .join('')
}

/** Where a change gives several characters, such as of `ß`, the C library makes none. */
function changeCharacter(character: string, mode: CaseMode): string {
  if (mode === 'none') return character
  const changed = mode === 'upper' ? character.toUpperCase() : character.toLowerCase()
  return Array.from(changed).length === 1 ? changed : character
}
