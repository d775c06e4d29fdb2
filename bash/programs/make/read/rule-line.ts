/** A line with targets: a rule, or variables of a target. */
import { findUnquoted, isBlank, isSpace, joinLines, patternOf, stripped } from '../characters.js'
import { expand } from '../expand/expand.js'
import type { MakeState } from '../state.js'
import { modifiedAssignment } from './assignments.js'
import { fileNames } from './file-names.js'
import type { Reader } from './reader.js'
import type { WaitingRule } from './record-rule.js'
import { assignForTargets } from './target-variables.js'

export async function readRule(reader: Reader, raw: string): Promise<void> {
  const { make } = reader
  const line = reader.lines.place.line
  const cut = cutAtSemicolon(raw)
  const head = joinLines(cut.head)
  const first = nextWord(head, 0)
  if (first === undefined) {
    if (cut.command !== undefined) throw make.fail('missing rule before recipe')
    return
  }
  if (first.isColon) {
    reader.hasNoTargets = true
    return
  }
  const split = await targetsOf(make, head, cut.command)
  if (split === undefined) return
  if ('missing' in split) {
    const isSpaced = make.recipePrefix === '\t' && raw.startsWith('        ')
    throw make.fail(`missing separator${isSpaced ? ' (did you mean TAB instead of 8 spaces?)' : ''}`)
  }
  const { names } = await fileNames(make, split.targets)
  if (names.length === 0) {
    reader.hasNoTargets = true
    return
  }
  const assigned = modifiedAssignment(split.expanded + split.raw, true)
  if (assigned !== undefined) {
    const tail = cut.command === undefined ? '' : joinLines(`;${cut.command}`)
    await assignForTargets(make, names, assigned.rest + tail, assigned.modifiers, reader.lines.place)
    return
  }
  reader.hasNoTargets = false
  const rule = await restOfRule(make, split, names, line)
  await chooseGoal(make, names)
  reader.waiting = rule
}

/** The first semicolon outside of references begins a recipe, unless a comment begins before it. */
function cutAtSemicolon(raw: string): { head: string; command: string | undefined } {
  const { text, at } = findUnquoted(raw, ';#', 0, true)
  if (at < 0) return { head: text, command: undefined }
  return { head: text.slice(0, at), command: text[at] === ';' ? text.slice(at + 1) : undefined }
}

interface Word {
  start: number
  end: number
  isColon: boolean
}

/** The next word of a line that is not expanded yet. */
function nextWord(text: string, from: number): Word | undefined {
  let at = from
  while (isBlank(text[at])) at += 1
  if (at >= text.length) return undefined
  const operator = /::?=|::?|=|&::?|[+?!]=|;/y
  operator.lastIndex = at
  const [found] = operator.exec(text) ?? []
  if (found !== undefined) return { start: at, end: at + found.length, isColon: /^&?::?$/.test(found) }
  const start = at
  while (at < text.length) {
    const character = text[at] as string
    if (isSpace(character) || character === '=' || character === ':') break
    if ((character === '?' || character === '+') && text[at + 1] === '=') break
    if (character === '&' && text[at + 1] === ':') break
    if (character === '$') {
      const open = text[at + 1]
      if (open === '(' || open === '{') at = endOfNested(text, at + 2, open)
      else at += 2
      continue
    }
    at += character === '\\' && /[:;=\\]/.test(text[at + 1] ?? '') ? 2 : 1
  }
  return { start, end: Math.min(at, text.length), isColon: false }
}

function endOfNested(text: string, from: number, open: string): number {
  const close = open === '(' ? ')' : '}'
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === open) depth += 1
    else if (text[at] === close) {
      depth -= 1
      if (depth < 0) return at + 1
    }
  }
  return text.length
}

interface Split {
  targets: string
  isDouble: boolean
  isGrouped: boolean
  /** What follows the colon: expanded already, and not yet. */
  expanded: string
  raw: string
  command: string | undefined
}

/** Expands word by word until a colon comes. Undefined when nothing is left of the line. */
async function targetsOf(
  make: MakeState,
  head: string,
  given: string | undefined,
): Promise<Split | { missing: true } | undefined> {
  let command = given
  let expanded = ''
  let at = 0
  let isWithout = false
  for (;;) {
    const word = nextWord(head, at)
    if (word === undefined) {
      isWithout = true
      break
    }
    const begin = expanded === '' ? 0 : expanded.length
    if (at > 0) expanded += ' '
    expanded += await expand(make, head.slice(word.start, word.end))
    at = word.end
    if (command === undefined) {
      const found = findUnquoted(expanded, ';', begin)
      expanded = found.text
      if (found.at >= 0) {
        command = expanded.slice(found.at + 1) + (await expand(make, head.slice(at)))
        expanded = expanded.slice(0, found.at)
        at = head.length
      }
    }
    const found = findUnquoted(expanded, ':')
    expanded = found.text
    if (found.at < 0) continue
    const isGrouped = found.at > 0 && expanded[found.at - 1] === '&'
    let after = expanded.slice(found.at + 1)
    const isDouble = after.startsWith(':')
    if (isDouble) after = after.slice(1)
    const targets = expanded.slice(0, isGrouped ? found.at - 1 : found.at)
    return { targets, isDouble, isGrouped, expanded: after, raw: head.slice(at), command }
  }
  if (isWithout && stripped(expanded) === '') return undefined
  return { missing: true }
}

async function restOfRule(make: MakeState, split: Split, targets: string[], line: number): Promise<WaitingRule> {
  let { command } = split
  let text = split.expanded
  if (split.raw !== '') text += await expand(make, unquotedEquals(split.raw))
  if (command === undefined) {
    const found = findUnquoted(text, ';')
    text = found.text
    if (found.at >= 0) {
      command = text.slice(found.at + 1)
      text = text.slice(0, found.at)
    }
  }
  const rule: WaitingRule = {
    targets,
    isDouble: split.isDouble,
    isGrouped: split.isGrouped,
    pattern: undefined,
    prerequisites: text,
    recipe: command === undefined ? '' : `${command}\n`,
    recipeLine: line,
    prefix: make.recipePrefix,
    place: { file: make.reading?.file, line, offset: 0 },
  }
  if (colonIn(text)) {
    const { names, rest = '' } = await fileNames(make, text, { stop: ':', isLiteral: true })
    const [pattern] = names
    if (pattern === undefined) throw make.fail('missing target pattern')
    if (names.length > 1) throw make.fail('multiple target patterns')
    rule.pattern = patternOf(pattern)
    if (rule.pattern.percent < 0) throw make.fail("target pattern contains no '%'")
    rule.prerequisites = rest
  }
  rule.prerequisites = stripped(rule.prerequisites)
  return rule
}

function unquotedEquals(text: string): string {
  return text.replace(/\\=/g, '=')
}

/** A colon that no backslash quotes. */
function colonIn(text: string): boolean {
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let count = 0
    while (at - count > 0 && text[at - count - 1] === '\\') count += 1
    if (count % 2 === 0) return true
  }
  return false
}

/** The first target of a makefile is made when none is named. */
async function chooseGoal(make: MakeState, names: readonly string[]): Promise<void> {
  if ((make.global.get('.DEFAULT_GOAL')?.value ?? '') !== '') return
  const suffixes = make.files.find('.SUFFIXES')?.deps.map(({ name }) => name) ?? []
  for (const name of names) {
    if (name.includes('%')) return
    if (name.startsWith('.') && !name.includes('/')) continue
    const isSuffixRule = suffixes.some(
      (suffix) =>
        (!suffix.startsWith('.') && suffix === name) ||
        suffixes.some((other) => name.startsWith(other) && name.slice(other.length) === suffix),
    )
    if (isSuffixRule) continue
    make.define('.DEFAULT_GOAL', name, 'file', { place: make.reading })
    return
  }
}
