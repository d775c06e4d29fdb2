/** Colours of output: no terminal is attached, so there are none unless they are asked for. */
import { type GitConfig, lastValue } from '../../src/git/config.js'
import { fatal, GitError } from './git-error.js'

/** Text in a colour; as it is where there are no colours. */
export interface Colors {
  readonly isOn: boolean
  /** The code that begins the colour of a slot such as `diff.meta`; empty for the normal one. */
  code(slot: string): string
  /** With the codes around it. */
  paint(slot: string, text: string): string
}

export const reset = '\x1b[m'

/** The defaults of git; a slot that is not here is normal. */
const defaults: Record<string, string> = {
  'branch.current': 'green',
  'branch.remote': 'red',
  'branch.upstream': 'blue',
  'decorate.branch': 'bold green',
  'decorate.remotebranch': 'bold red',
  'decorate.tag': 'bold yellow',
  'decorate.stash': 'bold magenta',
  'decorate.head': 'bold cyan',
  'diff.commit': 'yellow',
  'diff.frag': 'cyan',
  'diff.meta': 'bold',
  'diff.new': 'green',
  'diff.old': 'red',
  'diff.whitespace': 'normal red',
  'grep.column': 'green',
  'grep.filename': 'magenta',
  'grep.linenumber': 'green',
  'grep.match': 'bold red',
  'grep.separator': 'cyan',
  'status.added': 'green',
  'status.branch': 'normal',
  'status.changed': 'red',
  'status.localbranch': 'green',
  'status.nobranch': 'red',
  'status.remotebranch': 'red',
  'status.unmerged': 'red',
  'status.untracked': 'red',
}

/** Other names of slots. */
const aliases: Record<string, string> = {
  'status.added': 'status.updated',
  'diff.context': 'diff.plain',
  'grep.match': 'grep.matchselected',
}

export const noColors: Colors = { isOn: false, code: () => '', paint: (_, text) => text }

interface ColorArguments {
  has(key: 'color'): boolean
  value(key: 'color'): string | undefined
  given: ReadonlyArray<{ key: string; value?: string }>
}

/** What `--color`, `color.<section>` and `color.ui` say together. Sections without an option take the configuration alone. */
export function colorsOf(given: ColorArguments | undefined, config: GitConfig, section: string): Colors {
  let when: string | undefined
  for (const { key, value } of given?.given ?? []) {
    if (key === 'noColor') when = 'never'
    if (key !== 'color') continue
    when = value ?? 'always'
    if (!['always', 'auto', 'never'].includes(when))
      throw new GitError('error: option `color\' expects "always", "auto", or "never"', 129)
  }
  when ??= lastValue(config, `color.${section}`) ?? lastValue(config, 'color.ui') ?? 'auto'
  return when.toLowerCase() === 'always' ? colorsFrom(config) : noColors
}

export function colorsFrom(config: GitConfig): Colors {
  const known = new Map<string, string>()
  const code = (slot: string): string => {
    const own = known.get(slot)
    if (own !== undefined) return own
    const alias = aliases[slot]
    const set = lastValue(config, `color.${slot}`) ?? (alias && lastValue(config, `color.${alias}`))
    const found = parseColor(set ?? defaults[slot] ?? 'normal', set === undefined ? undefined : `color.${slot}`)
    known.set(slot, found)
    return found
  }
  return {
    isOn: true,
    code,
    paint(slot, text) {
      const begin = code(slot)
      return begin === '' ? text : `${begin}${text}${reset}`
    },
  }
}

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']
const attributes: Record<string, number> = { bold: 1, dim: 2, italic: 3, ul: 4, blink: 5, reverse: 7, strike: 9 }

/** The code for `bold red`, `#ff0000 ul` and the like. */
export function parseColor(text: string, variable = '(format)'): string {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 1 && words[0] === 'reset') return reset
  const invalid = () =>
    new GitError(`error: invalid color value: ${text}\nfatal: unable to parse '${variable}' from command-line config`)
  const set = new Set<number>()
  const colors: string[] = []
  let hasReset = false
  for (const word of words) {
    if (word === 'reset') {
      hasReset = true
      continue
    }
    const color = colors.length < 2 ? colorNumbers(word, colors.length === 1) : undefined
    const attribute = attributeNumber(word)
    if (color !== undefined) colors.push(color)
    else if (attribute !== undefined) set.add(attribute)
    else throw variable === '(format)' ? fatal(`unable to parse --pretty format`) : invalid()
  }
  const numbers = [...[...set].sort((a, b) => a - b).map(String), ...colors.filter((color) => color !== '')]
  if (numbers.length === 0 && !hasReset) return ''
  return `\x1b[${[...(hasReset ? [''] : []), ...numbers].join(';')}m`
}

function attributeNumber(word: string): number | undefined {
  const [, no, name = ''] = /^(no-?)?(.*)$/.exec(word) ?? []
  const number = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  if (number === undefined || no === undefined) return number
  return number === 1 ? 22 : number + 20
}

/** Empty for the normal colour. */
function colorNumbers(word: string, isBackground: boolean): string | undefined {
  const base = isBackground ? 10 : 0
  if (word === 'normal' || word === '-1') return ''
  if (word === 'default') return `${base + 39}`
  const [, red, green, blue] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(word) ?? []
  if (red !== undefined) {
    const parts = [red, green, blue].map((part) => Number.parseInt(part as string, 16))
    return `${base + 38};2;${parts.join(';')}`
  }
  if (/^\d+$/.test(word)) {
    const number = Number(word)
    if (number < 8) return `${base + 30 + number}`
    if (number < 16) return `${base + 82 + number}`
    return number < 256 ? `${base + 38};5;${number}` : undefined
  }
  const isBright = word.startsWith('bright')
  const at = names.indexOf(isBright ? word.slice('bright'.length) : word)
  return at === -1 ? undefined : `${base + (isBright ? 90 : 30) + at}`
}
