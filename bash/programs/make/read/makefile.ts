/** Reads a makefile: assignments, conditionals, directives and rules. */
import { endOfWord, joinLines, skipSpace, withoutComment } from '../characters.js'
import { expand } from '../expand/expand.js'
import type { Place } from '../make-error.js'
import type { MakeState } from '../state.js'
import { setSearchPath } from '../update/search-path.js'
import { assign, assignmentOf, modifiedAssignment, nameOfAssigned } from './assignments.js'
import { isIgnoring, readConditional } from './conditionals.js'
import { readDefinition } from './definitions.js'
import { includeMakefiles } from './includes.js'
import { LineReader } from './lines.js'
import type { Reader } from './reader.js'
import { recordRule, type WaitingRule } from './record-rule.js'
import { readRule } from './rule-line.js'

export async function readText(make: MakeState, text: string, start: Place): Promise<void> {
  const { reading } = make
  const place = { ...start }
  const reader: Reader = {
    make,
    lines: new LineReader(text, place),
    conditionals: [],
    waiting: undefined,
    hasNoTargets: false,
    ignoresDefinition: false,
  }
  make.reading = place
  make.io.account(text.length * 2)
  for (let line = reader.lines.next(); line !== undefined; line = reader.lines.next()) {
    make.io.step()
    if (line !== '') await readLine(reader, line)
  }
  if (reader.conditionals.length > 0) throw make.fail("missing 'endif'")
  await finishRule(reader)
  make.reading = reading
  make.io.account(-text.length * 2)
}

async function readLine(reader: Reader, line: string): Promise<void> {
  const { make, conditionals } = reader
  if (line.startsWith(make.recipePrefix)) {
    if (reader.hasNoTargets) return
    if (reader.waiting !== undefined) {
      if (!isIgnoring(conditionals)) addToRecipe(reader, reader.waiting, line.slice(1))
      return
    }
  }
  const text = withoutComment(joinLines(line)).replace(/^[ \t\n\v\f\r]+/, '')
  if (await readAssignment(reader, text)) return
  if (text === '') return
  const end = endOfWord(text, 0)
  const word = text.slice(0, end)
  const rest = text.slice(skipSpace(text, end))
  if (reader.ignoresDefinition) {
    if (word === 'endef' && (rest === '' || rest.startsWith('#'))) reader.ignoresDefinition = false
    return
  }
  if (await readConditional(make, conditionals, word, rest, reader.lines.place)) return
  if (isIgnoring(conditionals)) return
  if (await readDirective(reader, word, rest)) return
  if (line.startsWith(make.recipePrefix)) throw make.fail('recipe commences before first target')
  await finishRule(reader)
  await readRule(reader, line)
}

function addToRecipe(reader: Reader, rule: WaitingRule, text: string): void {
  if (rule.recipe === '') rule.recipeLine = reader.lines.place.line
  reader.make.io.account(text.length * 2)
  rule.recipe += `${text}\n`
}

/** The rule is complete as soon as something else begins. */
export async function finishRule(reader: Reader): Promise<void> {
  const { waiting } = reader
  reader.waiting = undefined
  if (waiting !== undefined) await recordRule(reader.make, waiting)
}

async function readAssignment(reader: Reader, text: string): Promise<boolean> {
  const found = modifiedAssignment(text, false)
  if (found === undefined) return false
  const { make } = reader
  const { rest, modifiers } = found
  if (isIgnoring(reader.conditionals)) {
    if (modifiers.defines) reader.ignoresDefinition = true
    return true
  }
  await finishRule(reader)
  const origin = modifiers.overrides ? 'override' : 'file'
  const { place } = reader.lines
  if (modifiers.undefines) {
    const name = await nameOfAssigned(make, rest, place)
    const known = make.global.get(name)
    if (
      known !== undefined &&
      (modifiers.overrides || !['command line', 'override', 'environment override'].includes(known.origin))
    ) {
      make.global.delete(name)
    }
    return true
  }
  const assignment = assignmentOf(rest)
  const variable = modifiers.defines
    ? await readDefinition(reader, rest, origin)
    : assignment &&
      (await assign(
        make,
        { ...assignment, name: await nameOfAssigned(make, assignment.name, place) },
        { origin, place },
      ))
  if (variable !== undefined && modifiers.exports) variable.export = 'yes'
  if (variable !== undefined && modifiers.isPrivate) variable.isPrivate = true
  return true
}

async function readDirective(reader: Reader, word: string, rest: string): Promise<boolean> {
  const { make } = reader
  switch (word) {
    case 'export':
    case 'unexport':
      await finishRule(reader)
      await exportNames(make, rest, word === 'export')
      return true
    case 'vpath': {
      await finishRule(reader)
      const given = (await expand(make, rest)).trim()
      const end = endOfWord(given, 0)
      setSearchPath(make, given.slice(0, end), given.slice(skipSpace(given, end)))
      return true
    }
    case 'include':
    case '-include':
    case 'sinclude':
      await finishRule(reader)
      await includeMakefiles(make, rest, word !== 'include', reader.lines.place, readText)
      return true
    case 'load':
    case '-load':
      throw make.fail(`'${word}' is not supported by this shell`)
    default:
      return false
  }
}

async function exportNames(make: MakeState, text: string, exports: boolean): Promise<void> {
  if (text === '') {
    make.exportsAll = exports
    return
  }
  for (const name of (await expand(make, text)).match(/[^ \t\n\v\f\r]+/g) ?? []) {
    const variable = make.lookup(name) ?? make.define(name, '', 'file', { place: make.reading })
    variable.export = exports ? 'yes' : 'no'
  }
}
