/** A line of a recipe to a command: simple ones are run as they are, all others by the shell. */
import { isBlank, wordsOf } from '../characters.js'
import { expandFor } from '../expand/expand.js'
import type { MakeFile } from '../files.js'
import type { MakeState } from '../state.js'

const shellCharacters = '#;"*?[]&|<>(){}$`^~!'
const shellWords = new Set(
  '. : alias bg break case cd command continue eval exec exit export fc fg for getopts hash if jobs login logout read readonly return set shift test times trap type ulimit umask unalias unset wait while'.split(
    ' ',
  ),
)
const bourneShells = ['sh', 'bash', 'dash', 'ksh', 'rksh', 'zsh', 'ash']
export const usualShell = '/bin/sh'

export interface Command {
  /** Absent for a line without a command. */
  argv: string[] | undefined
  /** What follows the line in the same text. */
  rest: string | undefined
}

export async function commandOf(make: MakeState, given: string, file: MakeFile | undefined): Promise<Command> {
  const value = async (name: string) => {
    const variable = make.lookup(name)
    return variable === undefined ? undefined : expandFor(make, `$(${name})`, file)
  }
  const { warnsUndefined } = make.options
  make.options.warnsUndefined = false
  const shell = (await expandFor(make, '$(SHELL)', file)) || usualShell
  const flags = (await value('.SHELLFLAGS')) ?? '-c'
  const separators = (await value('IFS')) ?? ''
  make.options.warnsUndefined = warnsUndefined
  const line = given.replace(/^[ \t]+/, '')
  if (line === '') return { argv: undefined, rest: undefined }
  const isUsual = shell === usualShell && /^-e?c$/.test(flags) && /^[ \t\n]*$/.test(separators)
  const simple = isUsual ? simpleCommand(line, make.isOneShell) : undefined
  if (simple !== undefined) return simple
  const words = shellWordsOf(shell)
  if (make.isOneShell) {
    const text = isBourne(shell) ? withoutPrefixes(line) : line
    return { argv: [...words, ...wordsOf(flags), text], rest: undefined }
  }
  const end = endOfLine(line)
  const command = end < 0 ? line : line.slice(0, end)
  return {
    argv: command === '' ? undefined : [...words, ...wordsOf(flags), command],
    rest: end < 0 ? undefined : line.slice(end + 1),
  }
}

export function isBourne(shell: string): boolean {
  return bourneShells.includes(shell.slice(shell.lastIndexOf('/') + 1))
}

function shellWordsOf(shell: string): string[] {
  const simple = simpleCommand(shell.replace(/[#;"*?[\]&|<>(){}$`^~!]/g, '\\$&'), false)
  return simple?.argv ?? [shell]
}

/** A line end that no backslash joins with the next line. */
function endOfLine(line: string): number {
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '\n') return at
    if (line[at] === '\\' && line[at + 1] === '\n') at += 1
  }
  return -1
}

/** In one script, the marks at the beginning of lines mean nothing. */
function withoutPrefixes(text: string): string {
  let out = ''
  let at = 0
  while (at < text.length) {
    while (/[ \t@+-]/.test(text[at] ?? '')) at += 1
    let isEscaped = false
    while (at < text.length) {
      const character = text[at] as string
      out += character
      at += 1
      if (character === '\\') isEscaped = !isEscaped
      else {
        if (character === '\n' && !isEscaped) break
        isEscaped = false
      }
    }
  }
  return out
}

/** Undefined when it takes a shell. */
function simpleCommand(line: string, isOneShell: boolean): Command | undefined {
  const words: string[] = []
  let word = ''
  let isWord = false
  let quote = ''
  let sawCommand = false
  let hasEquals = false
  let rest: string | undefined
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] as string
    const next = line[at + 1]
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\' && next === '\n') {
        word += '\\\n'
        at += 1
      } else if (character === '\n') return undefined
      else word += character
      continue
    }
    if (shellCharacters.includes(character) || (isOneShell && character === '\n')) return undefined
    if (character === "'") {
      quote = character
      isWord = true
      continue
    }
    if (character === '\n') {
      rest = line.slice(at + 1)
      break
    }
    if (character === '\\') {
      at += 1
      if (next === '\n') {
        if (word === '') while (isBlank(line[at + 1])) at += 1
      } else if (next !== undefined) {
        word += next
        isWord = true
      }
    } else if (isBlank(character)) {
      words.push(word)
      sawCommand ||= !hasEquals
      if (hasEquals && !sawCommand) return undefined
      hasEquals = false
      word = ''
      isWord = false
      if (words.length === 1 && shellWords.has(words[0] as string)) return undefined
      while (isBlank(line[at + 1])) at += 1
    } else {
      if (character === '=') {
        if (!sawCommand) return undefined
        hasEquals = true
      }
      word += character
      isWord = true
    }
  }
  if (quote !== '') return undefined
  if (word !== '' || isWord) words.push(word)
  if (words.length === 1 && shellWords.has(words[0] as string)) return undefined
  return { argv: words.length === 0 ? undefined : words, rest }
}
