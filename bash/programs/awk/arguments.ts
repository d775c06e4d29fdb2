/** The arguments of awk that need more than a table of options. */
import { ProgramError } from '../program-error.js'
import { AwkFatal } from './syntax/awk-error.js'
import { type Dialect, isReserved } from './syntax/dialect.js'
import { isWord } from './syntax/lexer.js'

const withValue = 'FvfeliE'
const plain = 'cPSbntOsrNLCdDgIMopVh'
const longNames =
  `assign bignum characters-as-bytes copyright debug dump-variables exec field-separator file gen-pot help include lint
  lint-old load no-optimize non-decimal-data optimize posix pretty-print profile re-interval sandbox source trace
  traditional use-lc-numeric version`.split(/\s+/)

/** Once the program is known from `-f` or `-e`, options that awk does not know are operands for it. */
export function withUnknownAsOperands(args: readonly string[]): readonly string[] {
  let hasProgram = false
  /** Nothing that POSIX does not know. */
  let isStrict = false
  const rest = (at: number) => (hasProgram && !isStrict ? [...args.slice(0, at), '--', ...args.slice(at)] : args)
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string
    if (!arg.startsWith('-') || arg === '-' || arg === '--') return args
    if (arg.startsWith('--')) {
      const [name = ''] = arg.slice(2).split('=')
      if (!longNames.some((known) => known.startsWith(name))) {
        return rest(at)
      }
      isStrict ||= name.length > 1 && 'posix'.startsWith(name)
      hasProgram ||= /^--(?:file|source|exec)(?:=|$)/.test(arg)
      if (/^--(?:file|source|field-separator|assign|include|load|exec)$/.test(arg)) at += 1
      continue
    }
    for (let index = 1; index < arg.length; index += 1) {
      const letter = arg[index] as string
      if (withValue.includes(letter)) {
        hasProgram ||= 'feE'.includes(letter)
        if (index === arg.length - 1) at += 1
        break
      }
      if (!plain.includes(letter)) return rest(at)
      isStrict ||= letter === 'P'
      if ('LdDop'.includes(letter)) break
    }
  }
  return args
}

/** The assignment of `-v` with its name as the program has it, or why gawk refuses it; undefined for what is none. */
export function optionAssignment(given: string, dialect: Dialect): string | undefined {
  const [, qualified, value] = /^([^=]*)=([\s\S]*)$/.exec(given) ?? []
  if (qualified === undefined || value === undefined) return undefined
  if (/:::/.test(qualified)) throw new ProgramError(`error: qualified identifier \`${qualified}' is badly formed`, 1)
  if (/^[^:]*:[^:]*$/.test(qualified)) {
    throw new ProgramError(`error: identifier ${qualified}: namespace separator is two colons, not one`, 1)
  }
  if (qualified.split('::').length > 2) {
    const fault = 'namespace separator can only appear once in a qualified name'
    throw new ProgramError(`error: identifier \`${qualified}': ${fault}`, 1)
  }
  const name = qualified.replace(/^awk::/, '')
  if (!name.split('::').every((part) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(part))) {
    throw new AwkFatal(`\`${qualified}' is not a legal variable name`, 'nowhere')
  }
  if (isWord(name) && isReserved(name, dialect)) {
    throw new AwkFatal(`cannot use gawk builtin \`${qualified}' as variable name`, 'nowhere')
  }
  return `${name}=${value}`
}
