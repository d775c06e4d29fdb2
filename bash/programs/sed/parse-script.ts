/** Parses sed scripts, with GNU's extensions and messages. */
import { ProgramError } from '../program-error.js'
import { readRange } from './parse-address.js'
import { readAction } from './parse-command.js'
import type { Command, Range, Script, ScriptOptions } from './script.js'
import { type ScriptPart, type ScriptReader, scriptReader } from './script-reader.js'

export function parseScript(parts: readonly ScriptPart[], options: ScriptOptions): Script {
  const reader: ScriptReader = scriptReader(parts)
  const commands: Command[] = []
  const blocks: number[] = []
  const labels = new Map<string, number>()

  for (;;) {
    skipBetween(reader)
    if (reader.peek() === undefined) break
    const range = readRange(reader, options)
    reader.skipBlanks()
    const name = reader.next()
    if (name === undefined || name === '\n' || name === ';') reader.fail('missing command')
    if (name === '#') {
      if (range !== undefined) reader.fail("comments don't accept any addresses")
      skipComment(reader)
      continue
    }
    if (name === '}') closeBlock(range)
    const action = readAction(reader, name, range, options)
    if (action.name === '{') blocks.push(commands.length)
    if (action.name === ':' && !labels.has(action.label)) labels.set(action.label, commands.length)
    commands.push({ range, action })
  }
  if (blocks.length > 0) reader.failAtEnd("unmatched `{'")
  for (const { action } of commands) if ('target' in action) action.target = targetOf(action.label)
  const [first] = parts
  return { commands, isQuiet: first?.text.startsWith('#n') === true }

  function closeBlock(range: Range | undefined): void {
    const start = blocks.pop()
    if (start === undefined) reader.fail("unexpected `}'")
    if (range !== undefined) reader.fail("} doesn't want any addresses")
    const opened = commands[start]?.action
    if (opened?.name === '{') opened.end = commands.length
  }

  /** Without a label, the end of the script. */
  function targetOf(label: string): number {
    if (label === '') return commands.length
    const target = labels.get(label)
    if (target === undefined) throw new ProgramError(`can't find label for jump to \`${label}'`, 4)
    return target
  }
}

function skipBetween(reader: ScriptReader): void {
  for (;;) {
    reader.skipWhitespace()
    if (reader.peek() !== ';') return
    reader.next()
  }
}

function skipComment(reader: ScriptReader): void {
  for (let character = reader.next(); character !== undefined && character !== '\n'; ) character = reader.next()
}
