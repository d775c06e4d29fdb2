/** Names of files in a makefile: quoted blanks, a leading `./`, the home directory, patterns of the shell. */
import { findUnquoted, isSpace } from '../characters.js'
import type { MakeState } from '../state.js'
import { isThere } from './directories.js'

export interface NameRules {
  /** Ends the names, such as `:` or `|`. */
  stop?: string
  /** A leading `./` stays. */
  keepsDots?: boolean
  /** As they stand. */
  isLiteral?: boolean
  onlyExisting?: boolean
  prefix?: string
  /** All of it is one name. */
  isOne?: boolean
}

const blanks = ' \t\n\v\f\r'

/** The names, and what follows the character that ends them: undefined when none did. */
export async function fileNames(
  make: MakeState,
  given: string,
  rules: NameRules = {},
): Promise<{ names: string[]; rest: string | undefined }> {
  const { stop = '', prefix = '' } = rules
  const names: string[] = []
  let text = given
  let at = 0
  while (at < text.length) {
    make.io.step()
    if (isSpace(text[at])) {
      at += 1
      continue
    }
    if (stop !== '' && stop.includes(text[at] as string)) return { names, rest: text.slice(at + 1) }
    const found = findUnquoted(text, rules.isOne ? stop : stop + blanks, at)
    text = found.text
    const end = found.at < 0 ? text.length : found.at
    const name = rules.keepsDots ? text.slice(at, end) : withoutDots(text.slice(at, end))
    at = end
    for (const one of await expandedName(make, name, rules)) names.push(prefix + one)
  }
  return { names, rest: undefined }
}

function withoutDots(given: string): string {
  let name = given
  while (name.length > 2 && name.startsWith('./')) name = name.slice(2).replace(/^\/+/, '')
  return name === '' ? './' : name
}

async function expandedName(make: MakeState, given: string, rules: NameRules): Promise<string[]> {
  if (rules.isLiteral) return [given]
  if (!rules.onlyExisting && /^[^(]+\(/.test(given)) {
    throw make.fail(`members of archives, such as ${given}, are not supported by this shell`)
  }
  const name = given.startsWith('~') ? withHome(make, given) : given
  if (!/[?*[]/.test(name)) {
    return rules.onlyExisting && !(await isThere(make.io, name)) ? [] : [name]
  }
  const matches = await make.directories.matches(name)
  if (matches.length > 0) return matches
  return rules.onlyExisting ? [] : [name]
}

function withHome(make: MakeState, name: string): string {
  const home = make.lookup('HOME')?.value ?? ''
  return home !== '' && /^~(\/|$)/.test(name) ? home + name.slice(1) : name
}
