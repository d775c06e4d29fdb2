/** Reads a script character by character, and knows where it is for messages. */
import { ProgramError } from '../program-error.js'

/** A part of the script: an expression of the command line, or a file. */
export interface ScriptPart {
  text: string
  /** The name of the file; undefined for an expression. */
  file?: string
}

export interface ScriptReader {
  /** The next character; undefined at the end. */
  next(): string | undefined
  peek(): string | undefined
  /** Takes back the last `next`. */
  back(): void
  /** Nothing is left of this expression or file, whatever comes after it. */
  isAtPartEnd(): boolean
  /** Skips spaces and tabs. */
  skipBlanks(): void
  /** Skips line ends too. */
  skipWhitespace(): void
  fail(message: string): never
  /** For faults of the whole script. */
  failAtEnd(message: string): never
}

export function scriptReader(parts: readonly ScriptPart[]): ScriptReader {
  // The last line of a file has its end already.
  const texts = parts.map((part) =>
    part === parts.at(-1) || (part.file !== undefined && part.text.endsWith('\n')) ? part.text : `${part.text}\n`,
  )
  const text = texts.join('')
  let at = 0

  const ends = new Set<number>()
  texts.reduce((start, own, index) => {
    ends.add(start + (parts[index] as ScriptPart).text.length)
    return start + own.length
  }, 0)

  /** The part that the last character read is in, and its place there. */
  function place(): { part: ScriptPart; number: number; offset: number } {
    let start = 0
    let expressions = 0
    for (const [index, part] of parts.entries()) {
      if (part.file === undefined) expressions += 1
      if (at <= start + part.text.length || part === parts.at(-1)) {
        return { part, number: expressions, offset: Math.min(at - start, part.text.length) }
      }
      start += texts[index]?.length ?? 0
    }
    return { part: { text }, number: 1, offset: at }
  }

  function failAt(message: string, isAtEnd: boolean): never {
    const { part, number, offset } = place()
    if (part.file === undefined) {
      throw new ProgramError(`-e expression #${number}, char ${isAtEnd ? 0 : offset}: ${message}`)
    }
    const line = isAtEnd ? 0 : part.text.slice(0, Math.max(0, offset - 1)).split('\n').length
    throw new ProgramError(`file ${part.file} line ${line}: ${message}`)
  }

  return {
    next() {
      const character = text[at]
      if (character !== undefined) at += 1
      return character
    },
    peek: () => text[at],
    back() {
      at -= 1
    },
    isAtPartEnd: () => ends.has(at),
    skipBlanks() {
      while (text[at] === ' ' || text[at] === '\t') at += 1
    },
    skipWhitespace() {
      while (/^\s$/.test(text[at] ?? '')) at += 1
    },
    fail: (message) => failAt(message, false),
    failAtEnd: (message) => failAt(message, true),
  }
}
