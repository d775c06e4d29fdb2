/** Names the encoding of a file, and says what is shown where it is not certain. */
import type { TextEncoding, TextFormat } from '../../text/decode/detect.js'

const names: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16LE',
  'utf-16be': 'UTF-16BE',
  'windows-1252': 'Windows-1252',
}

export function encodingName(encoding: string): string {
  return names[encoding] ?? encoding
}

/** `"→" (U+2192)`. */
export function characterName(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return `${JSON.stringify(character)} (U+${point.toString(16).toUpperCase().padStart(4, '0')})`
}

/** The encoding, in few words. */
export function formatName({ encoding, hasStrayBytes }: TextFormat): string {
  return hasStrayBytes ? `${encoding} with stray bytes` : encoding
}

/** In one field: begins with the name that write_file takes, where there is one. */
export function describeFormat(format: TextFormat | 'binary'): string {
  if (format === 'binary') return format
  const { encoding, bom, hasStrayBytes, guess } = format
  if (hasStrayBytes) return `${formatName(format)}, shown as windows-1252`
  if (guess === 'unknown') return 'unknown, not valid utf-8; shown as windows-1252'
  if (guess === 'probable') return `${encoding} probably, not valid utf-8`
  return bom ? `${encoding} with byte-order mark` : encoding
}

/** What a reader has to know of the text of a file, to be put behind other facts; empty for plain UTF-8. A large file can't be edited. */
export function formatNote(format: TextFormat, size: 'large' | 'small' = 'small'): string {
  const { encoding, hasStrayBytes, guess } = format
  const kept = size === 'large' ? '' : ': edit_file keeps its bytes'
  if (hasStrayBytes) return `; UTF-8 with stray bytes, shown as Windows-1252${kept}`
  if (guess === 'unknown') return `; not valid UTF-8, encoding unknown, shown as Windows-1252${kept}`
  if (guess === 'probable') return `; not valid UTF-8, shown as Windows-1252, probably${kept}`
  return encoding === 'utf-8' ? '' : `; ${encodingName(encoding)}`
}

/** `readsAs` is what the new bytes of a changed file are taken for, if that shows another text. */
interface Changed {
  format?: TextFormat
  readsAs?: TextFormat | 'binary'
}

/** For a change of a file that is not plain UTF-8. */
export function editNotes(changed: Changed): string[] {
  const name = writtenAs(changed)
  if (name === undefined) return []
  const { readsAs } = changed
  const warning = `[warning: its bytes now look like ${readsAs && describeFormat(readsAs)}, and read_file will show them so]`
  return [`[written as ${name}, as it was; all other bytes unchanged]`, ...(readsAs === undefined ? [] : [warning])]
}

/** The same at the end of a row; empty for plain UTF-8. */
export function editNote(changed: Changed): string {
  const name = writtenAs(changed)
  if (name === undefined) return ''
  const { readsAs } = changed
  const warning = readsAs === undefined ? '' : `; warning: its bytes now look like ${describeFormat(readsAs)}`
  return `, as ${name}, all other bytes unchanged${warning}`
}

function writtenAs({ format }: Changed): string | undefined {
  if (format === undefined) return undefined
  if (format.hasStrayBytes) return 'UTF-8 with stray bytes'
  return format.encoding === 'utf-8' ? undefined : encodingName(format.encoding)
}

const undo = 'undo the write with history, action "undo"'

/** What a write over a file changed besides its text; undefined if nothing. `encoding` is the one that was written. */
export function replacementNote(
  { replaced, readsAs }: { replaced?: TextFormat | 'binary'; readsAs?: TextFormat | 'binary' },
  { encoding, content }: { encoding: TextEncoding; content: string },
): string | undefined {
  if (readsAs !== undefined)
    return `now has bytes that look like ${describeFormat(readsAs)}, and read_file will show them so`
  if (replaced === undefined) return undefined
  if (replaced === 'binary') return `was binary and is now text; if that was not meant, ${undo}`
  if (replaced.hasStrayBytes)
    return `had bytes that are not UTF-8, which are gone; to keep them ${undo}, and use edit_file`
  const now = encodingName(encoding)
  if (replaced.encoding === encoding) {
    const isMarkLost = encoding === 'utf-8' && replaced.bom && !content.startsWith('\ufeff')
    return isMarkLost ? 'had a byte-order mark and has none now; to keep it, begin content with \\ufeff' : undefined
  }
  if (replaced.guess === 'unknown')
    return `was text in an unknown encoding and is now ${now}; to keep its bytes ${undo}, and use edit_file`
  // ASCII has the same bytes in both.
  if (replaced.encoding === 'windows-1252' && encoding === 'utf-8' && isAscii(content)) return undefined
  return `was ${encodingName(replaced.encoding)} and is now ${now}; to keep it, write with encoding "${replaced.encoding}"`
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}
