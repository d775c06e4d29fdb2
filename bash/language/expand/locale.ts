/** In the locale C the characters of a text are its bytes. */
import { joinedText } from '../../io/byte-text.js'
import { byteLocale } from '../../io/locale.js'
import type { Shell } from '../run/state/shell.js'
import type { Segment } from './sinks.js'
import { readText } from './variable-access.js'

const beyondAscii = /[^\0-\x7f]/

function hasBytes(shell: Shell): boolean {
  const name = readText(shell, 'LC_ALL') || readText(shell, 'LC_CTYPE') || readText(shell, 'LANG')
  return name === 'C' || name === 'POSIX'
}

/** The text with one character for each one of the locale. */
export function inCharacters(shell: Shell, text: string): string {
  return beyondAscii.test(text) && hasBytes(shell) ? byteLocale.text(text) : text
}

export function segmentsInCharacters(shell: Shell, segments: readonly Segment[]): readonly Segment[] {
  if (!segments.some(({ text }) => beyondAscii.test(text)) || !hasBytes(shell)) return segments
  return segments.map(({ text, quoted }) => ({ text: byteLocale.text(text), quoted }))
}

/** Changes a text by its characters. */
export function changeCharacters(shell: Shell, text: string, change: (characters: string) => string): string {
  const characters = inCharacters(shell, text)
  return characters === text ? change(text) : joinedText(change(characters))
}
