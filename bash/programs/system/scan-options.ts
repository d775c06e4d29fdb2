/** Reads the words of a command line by the C library's rules, as `getopt` prints them. */

export interface LongOption {
  name: string
  value: 'none' | 'required' | 'optional'
}

export interface ScanRules {
  /** Letters, each with `:` for a value and `::` for an optional one; `+` and `-` at the start say where operands go. */
  short: string
  long: readonly LongOption[]
  /** Long options may have one dash. */
  isAlternative?: boolean
  quote(word: string): string
}

export interface Scanned {
  output: string
  problems: string[]
}

export function scanOptions(words: readonly string[], rules: ScanRules): Scanned {
  const { quote, long, isAlternative = false } = rules
  const [, order = '', letters = ''] = /^([-+]?)(.*)$/s.exec(rules.short) ?? []
  const kinds = shortKinds(letters)
  const problems: string[] = []
  const operands: string[] = []
  let output = ''
  let index = 0

  function add(option: string, value?: string): void {
    output += ` ${option}${value === undefined ? '' : ` ${quote(value)}`}`
  }

  /** False when it may be short options instead. */
  function readLong(word: string, dashes: string): boolean {
    const written = word.slice(dashes.length)
    const equals = written.indexOf('=')
    const name = equals === -1 ? written : written.slice(0, equals)
    const exact = long.find((option) => option.name === name)
    const possible = exact === undefined ? long.filter((option) => option.name.startsWith(name)) : [exact]
    if (possible.length > 1) {
      const list = possible.map((option) => ` '${dashes}${option.name}'`).join('')
      problems.push(`option '${word}' is ambiguous; possibilities:${list}`)
      return true
    }
    const [option] = possible
    if (option === undefined) {
      if (dashes === '-' && kinds.has([...written][0] ?? '')) return false
      problems.push(`unrecognized option '${word}'`)
      return true
    }
    let value = equals === -1 ? undefined : written.slice(equals + 1)
    if (option.value === 'none' && value !== undefined) {
      problems.push(`option '${dashes}${option.name}' doesn't allow an argument`)
      return true
    }
    if (option.value === 'required' && value === undefined) {
      index += 1
      value = words[index]
      if (value === undefined) {
        problems.push(`option '${dashes}${option.name}' requires an argument`)
        return true
      }
    }
    add(`--${option.name}`, option.value === 'none' ? undefined : (value ?? ''))
    return true
  }

  function readShort(word: string): void {
    const given = [...word.slice(1)]
    for (let at = 0; at < given.length; at += 1) {
      const letter = given[at] as string
      const kind = kinds.get(letter)
      if (kind === undefined) {
        problems.push(`invalid option -- '${letter}'`)
        continue
      }
      if (kind === 'none') {
        add(`-${letter}`)
        continue
      }
      const attached = given.slice(at + 1).join('')
      if (attached !== '' || kind === 'optional') {
        add(`-${letter}`, attached)
        return
      }
      index += 1
      const value = words[index]
      if (value === undefined) problems.push(`option requires an argument -- '${letter}'`)
      else add(`-${letter}`, value)
      return
    }
  }

  for (; index < words.length; index += 1) {
    const word = words[index] as string
    if (word === '--') {
      index += 1
      break
    }
    if (!word.startsWith('-') || word === '-') {
      if (order === '+') break
      if (order === '-') output += ` ${quote(word)}`
      else operands.push(word)
    } else if (word.startsWith('--')) readLong(word, '--')
    else {
      const [, first = '', second] = [...word]
      const triesLong = isAlternative && (second !== undefined || !kinds.has(first))
      if (!triesLong || !readLong(word, '-')) readShort(word)
    }
  }
  const rest = [...operands, ...words.slice(index)]
  return { output: `${output} --${rest.map((word) => ` ${quote(word)}`).join('')}`, problems }
}

function shortKinds(letters: string): Map<string, LongOption['value']> {
  const kinds = new Map<string, LongOption['value']>()
  for (const [, letter = '', colons = ''] of letters.matchAll(/([^:])(:{0,2})/gsu)) {
    kinds.set(letter, (['none', 'required', 'optional'] as const)[colons.length as 0 | 1 | 2])
  }
  return kinds
}
