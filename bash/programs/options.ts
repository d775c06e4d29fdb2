/** Options as GNU's `getopt_long` reads them. */
import { ProgramError, UsageError } from './program-error.js'

export interface OptionSpec {
  /** For example `-n` and `--number`. */
  names: readonly string[]
  /** Absent: a flag. `optional`: only as `-nVALUE` or `--name=VALUE`. */
  value?: 'required' | 'optional'
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

/** One option as it was given. */
export interface GivenOption<Key extends string = string> {
  key: Key
  /** As written, such as `-n` or `--number`. */
  name: string
  value?: string
  /** How many operands were before it. */
  after: number
}

export interface ParsedArguments<Specs extends OptionSpecs> {
  /** True when a flag was given. */
  has(key: keyof Specs & string): boolean
  /** The last value given; undefined when there was none. */
  value(key: keyof Specs & string): string | undefined
  values(key: keyof Specs & string): string[]
  /** The last of these options that was given. */
  last(...keys: Array<keyof Specs & string>): (keyof Specs & string) | undefined
  /** All options in their order. */
  given: ReadonlyArray<GivenOption<keyof Specs & string>>
  operands: readonly string[]
}

export interface ParseRules {
  unsupported?: readonly string[]
  usageStatus?: number
  stopsAtOperand?: boolean
}

export function parseArguments<Specs extends OptionSpecs>(
  args: readonly string[],
  specs: Specs,
  { unsupported = [], usageStatus = 1, stopsAtOperand = false }: ParseRules = {},
): ParsedArguments<Specs> {
  type Key = keyof Specs & string
  const given: GivenOption<Key>[] = []
  const operands: string[] = []
  const byName = new Map<string, Key>()
  for (const key of Object.keys(specs) as Key[]) for (const name of specs[key]?.names ?? []) byName.set(name, key)

  const wrong = (message: string) => new UsageError(message, usageStatus)

  function refuseUnsupported(name: string): void {
    if (unsupported.includes(name)) throw new ProgramError(`option '${name}' is not supported by this shell`, 2)
  }

  function long(written: string, rest: readonly string[]): number {
    const [, name = written, value] = /^(--[^=]*)=(.*)$/s.exec(written) ?? []
    const names = [...byName.keys(), ...unsupported].filter((known) => known.startsWith('--'))
    const matching = names.includes(name) ? [name] : names.filter((known) => known.startsWith(name))
    const different = new Set(matching.map((known) => byName.get(known) ?? known))
    if (different.size > 1) {
      const list = matching.map((known) => ` '${known}'`).join('')
      throw wrong(`option '${written}' is ambiguous; possibilities:${list}`)
    }
    const [full] = matching
    if (full === undefined) throw wrong(`unrecognized option '${written}'`)
    refuseUnsupported(full)
    const key = byName.get(full) as Key
    const spec = specs[key] as OptionSpec
    if (spec.value === undefined) {
      if (value !== undefined) throw wrong(`option '${full}' doesn't allow an argument`)
      given.push({ key, name: full, after: operands.length })
      return 0
    }
    if (value !== undefined || spec.value === 'optional') {
      given.push({ key, name: full, after: operands.length, ...(value !== undefined && { value }) })
      return 0
    }
    if (rest.length === 0) throw wrong(`option '${full}' requires an argument`)
    given.push({ key, name: full, after: operands.length, value: rest[0] as string })
    return 1
  }

  function short(written: string, rest: readonly string[]): number {
    const letters = [...written.slice(1)]
    for (let index = 0; index < letters.length; index += 1) {
      const name = `-${letters[index]}`
      refuseUnsupported(name)
      const key = byName.get(name)
      if (key === undefined) throw wrong(`invalid option -- '${letters[index]}'`)
      const spec = specs[key] as OptionSpec
      if (spec.value === undefined) {
        given.push({ key, name, after: operands.length })
        continue
      }
      const attached = letters.slice(index + 1).join('')
      if (attached !== '' || spec.value === 'optional') {
        given.push({ key, name, after: operands.length, ...(attached !== '' && { value: attached }) })
        return 0
      }
      if (rest.length === 0) throw wrong(`option requires an argument -- '${letters[index]}'`)
      given.push({ key, name, after: operands.length, value: rest[0] as string })
      return 1
    }
    return 0
  }

  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as string
    if (arg === '--') {
      operands.push(...args.slice(index + 1))
      break
    }
    if (arg.startsWith('--')) index += long(arg, args.slice(index + 1, index + 2))
    else if (arg.startsWith('-') && arg !== '-') index += short(arg, args.slice(index + 1, index + 2))
    else if (stopsAtOperand) {
      operands.push(...args.slice(index))
      break
    } else operands.push(arg)
  }

  const of = (key: string) => given.filter((option) => option.key === key)
  return {
    has: (key) => of(key).length > 0,
    value: (key) => of(key).at(-1)?.value,
    values: (key) => of(key).flatMap(({ value }) => value ?? []),
    last: (...keys) => given.filter(({ key }) => keys.includes(key)).at(-1)?.key,
    given,
    operands,
  }
}
