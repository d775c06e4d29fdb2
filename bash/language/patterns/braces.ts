/** Brace expansion: `{a,b}`, `{1..5}`, `{a..e..2}`. */
import type { Parameter, Part, Word } from '../syntax/ast.js'

/** A character of unquoted text, or a part that stays whole. */
type Unit = string | Part

const deepest = 50
/** More words than this are an error rather than a full memory. */
const mostWords = 1_000_000

/** The words that a word stands for; itself when it has no braces. */
export function expandBraces(word: Word): Word[] {
  if (!word.parts.some((part) => part.type === 'text' && part.text.includes('{'))) return [word]
  const units = unitsOf(word.parts)
  const expanded = expandUnits(units, 0)
  if (expanded.length === 1 && expanded[0] === units) return [word]
  return expanded.map((alternative) => ({ type: 'word', parts: partsOf(alternative), source: word.source }))
}

function unitsOf(parts: readonly Part[]): Unit[] {
  const units: Unit[] = []
  for (const part of parts) {
    if (part.type === 'text') for (const character of part.text) units.push(character)
    else units.push(part)
  }
  return units
}

function partsOf(units: readonly Unit[]): Part[] {
  const parts: Part[] = []
  let text = ''
  for (const unit of units) {
    if (typeof unit === 'string') {
      const before = parts[parts.length - 1]
      if (text === '' && extendsName(before, unit)) parts[parts.length - 1] = { ...before, name: before.name + unit }
      else text += unit
      continue
    }
    if (text !== '') parts.push({ type: 'text', text })
    text = ''
    parts.push(unit)
  }
  if (text !== '') parts.push({ type: 'text', text })
  return parts
}

/** bash expands braces before it looks for parameters: `{$a,b}c` stands for `$ac bc`. */
function extendsName(before: Part | undefined, character: string): before is Parameter {
  return before?.type === 'parameter' && before.bare === true && /^[A-Za-z_]/.test(before.name) && /\w/.test(character)
}

function expandUnits(units: Unit[], depth: number): Unit[][] {
  if (depth > deepest) return [units]
  let from = 0
  for (;;) {
    const open = units.indexOf('{', from)
    if (open < 0) return [units]
    const group = readGroup(units, open)
    const choices = group && (choicesOf(units, open, group, depth) ?? sequenceOf(units.slice(open + 1, group.close)))
    if (group === undefined || choices === undefined) {
      from = open + 1
      continue
    }
    const before = units.slice(0, open)
    const after = expandUnits(units.slice(group.close + 1), depth)
    return combine(before, choices, after)
  }
}

interface Group {
  close: number
  commas: number[]
}

/** The `}` that closes the `{` at `open`, and the commas between. */
function readGroup(units: readonly Unit[], open: number): Group | undefined {
  const commas: number[] = []
  let level = 0
  for (let at = open + 1; at < units.length; at += 1) {
    const unit = units[at]
    if (unit === '{') level += 1
    else if (unit === '}' && level > 0) level -= 1
    else if (unit === '}') return { close: at, commas }
    else if (unit === ',' && level === 0) commas.push(at)
  }
  return undefined
}

function choicesOf(
  units: readonly Unit[],
  open: number,
  { close, commas }: Group,
  depth: number,
): Unit[][] | undefined {
  if (commas.length === 0) return undefined
  const choices: Unit[][] = []
  let start = open + 1
  for (const end of [...commas, close]) {
    for (const choice of expandUnits(units.slice(start, end), depth + 1)) choices.push(choice)
    start = end + 1
  }
  return choices
}

const numbers = /^([+-]?\d+)\.\.([+-]?\d+)(?:\.\.([+-]?\d+))?$/
const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.([+-]?\d+))?$/

function sequenceOf(units: readonly Unit[]): Unit[][] | undefined {
  if (units.some((unit) => typeof unit !== 'string')) return undefined
  const text = units.join('')
  const [, from, to, step] = numbers.exec(text) ?? []
  if (from !== undefined && to !== undefined) return numberSequence(from, to, step)
  const [, first, last, stride] = letters.exec(text) ?? []
  if (first === undefined || last === undefined) return undefined
  const codes = range(first.charCodeAt(0), last.charCodeAt(0), Number(stride ?? 1))
  // bash takes the backslash among the letters for an escape, and makes nothing of it.
  return codes?.map((code) => [code === 92 ? { type: 'quoted', text: '' } : String.fromCharCode(code)])
}

function numberSequence(from: string, to: string, step: string | undefined): Unit[][] | undefined {
  const isPadded = [from, to].some((number) => /^[+-]?0\d/.test(number))
  const width = isPadded ? Math.max(from.length, to.length) : 0
  const values = range(Number(from), Number(to), Number(step ?? 1))
  return values?.map((value) => [...pad(value, width)])
}

function pad(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, '0')}` : String(value).padStart(width, '0')
}

/** From one number to another; the sign of the step does not matter. */
function range(from: number, to: number, step: number): number[] | undefined {
  const by = Math.abs(step) || 1
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || !Number.isSafeInteger(by)) return undefined
  const count = Math.floor(Math.abs(to - from) / by) + 1
  checkCount(count)
  return Array.from({ length: count }, (_, index) => from + (to < from ? -1 : 1) * by * index)
}

function combine(before: Unit[], choices: Unit[][], after: Unit[][]): Unit[][] {
  checkCount(choices.length * after.length)
  const words: Unit[][] = []
  for (const choice of choices) {
    for (const rest of after) words.push([...before, ...choice, ...rest])
  }
  return words
}

function checkCount(count: number): void {
  if (count > mostWords) throw new BraceFault(`brace expansion: failed to allocate memory for ${count} elements`)
}

/** Too many words. */
export class BraceFault extends Error {}
