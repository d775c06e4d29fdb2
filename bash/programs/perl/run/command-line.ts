/** The arguments of perl. */
import { Unsupported } from '../syntax/perl-error.js'

export interface PerlArguments {
  /** Of `-e`, one line each. */
  code: string | undefined
  script: string | undefined
  operands: string[]
  /** `-n` or `-p`. */
  loops: boolean
  prints: boolean
  chomps: boolean
  splits: boolean
  separator: string | undefined
  /** Of `-i`: the suffix, which may be empty. */
  inPlace: string | undefined
  inputSeparator: { value: string | undefined } | undefined
  outputSeparator: string | undefined
  canSay: boolean
  warns: boolean
  uses: string[]
}

export function parseArguments(args: readonly string[]): PerlArguments {
  const result: PerlArguments = {
    code: undefined,
    script: undefined,
    operands: [],
    loops: false,
    prints: false,
    chomps: false,
    splits: false,
    separator: undefined,
    inPlace: undefined,
    inputSeparator: undefined,
    outputSeparator: undefined,
    canSay: false,
    warns: false,
    uses: [],
  }
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] as string
    if (arg === '--') {
      at += 1
      break
    }
    if (!arg.startsWith('-') || arg === '-') break
    at = cluster(result, args, at)
  }
  const rest = args.slice(at)
  if (result.code === undefined) result.script = rest.shift() ?? '-'
  result.operands = rest
  if (result.inPlace !== undefined && !result.loops && result.code !== undefined) {
    throw new Unsupported('-i without -n or -p')
  }
  return result
}

/** One argument of letters; gives the place of the last argument it took. */
function cluster(result: PerlArguments, args: readonly string[], place: number): number {
  const text = args[place] as string
  let at = 1
  while (at < text.length) {
    const letter = text[at] as string
    const rest = text.slice(at + 1)
    switch (letter) {
      case 'e':
      case 'E': {
        if (letter === 'E') result.canSay = true
        const code = rest !== '' ? rest : args[place + 1]
        if (code === undefined) throw new Unsupported(`-${letter} without code`)
        result.code = result.code === undefined ? code : `${result.code}\n${code}`
        return rest !== '' ? place : place + 1
      }
      case 'M':
      case 'm':
        result.uses.push(useOf(letter, rest))
        return place
      case 'i': {
        const suffix = /^\S*/.exec(rest)?.[0] ?? ''
        result.inPlace = suffix
        at += 1 + suffix.length
        continue
      }
      case 'F':
        result.separator = rest
        result.splits = true
        result.loops = true
        return place
      default:
        at += 1 + simple(result, letter, rest)
    }
  }
  return place
}

/** A letter that changes a setting; gives the length of its value. */
function simple(result: PerlArguments, letter: string, rest: string): number {
  switch (letter) {
    case 'n':
      result.loops = true
      return 0
    case 'p':
      result.loops = true
      result.prints = true
      return 0
    case 'a':
      result.splits = true
      result.loops = true
      return 0
    case 'w':
      result.warns = true
      return 0
    case '0': {
      const [digits = ''] = /^(?:[xX][0-9a-fA-F]+|[0-7]{0,3})/.exec(rest) ?? []
      result.inputSeparator = { value: separatorOf(digits) }
      return digits.length
    }
    case 'l': {
      const [digits = ''] = /^[0-7]{0,4}/.exec(rest) ?? []
      result.chomps = true
      if (digits !== '') result.outputSeparator = String.fromCharCode(Number.parseInt(digits, 8) & 255)
      else {
        const current = result.inputSeparator === undefined ? '\n' : result.inputSeparator.value
        result.outputSeparator = current === '' ? '\n\n' : (current ?? '')
      }
      return digits.length
    }
    default:
      throw new Unsupported(`-${letter}`)
  }
}

function separatorOf(digits: string): string | undefined {
  if (/^x/i.test(digits)) {
    const code = Number.parseInt(digits.slice(1), 16)
    if (code > 255) throw new Unsupported('-0 with a character beyond \\xff')
    return String.fromCharCode(code)
  }
  const code = digits === '' ? 0 : Number.parseInt(digits, 8)
  if (digits !== '' && code === 0) return ''
  return code > 255 ? undefined : String.fromCharCode(code)
}

function useOf(letter: string, given: string): string {
  if (given.startsWith('-')) throw new Unsupported(`-${letter}${given}`)
  const [name = '', list] = given.split(/=(.*)/s)
  if (list === undefined) {
    if (letter === 'm') throw new Unsupported(`-m${given}`)
    return given
  }
  if (/[^\w,]/.test(list)) throw new Unsupported(`-${letter}${given}`)
  return `${name} qw(${list.replaceAll(',', ' ')})`
}

/** Switches in the first line of a script. */
export function switchesOf(given: PerlArguments, text: string): PerlArguments {
  const line = text.split('\n', 1)[0] ?? ''
  const switches = /perl\S*\s+(-.*?)\s*$/.exec(line)?.[1]
  if (switches === undefined) return given
  const result = { ...given }
  for (const one of switches.split(/\s+/)) {
    if (/^-[eEmMiF]/.test(one)) throw new Unsupported(`${one} in the first line`)
    cluster(result, [one], 0)
  }
  return result
}
