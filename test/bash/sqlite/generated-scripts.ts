/** Scripts for sqlite3 from a seed: tables with values of every kind, and queries in one mode after the other. */
import type { Random } from '../../core/search/generated-trees.js'

const names = ['a', 'b', 'id', 'select', 'a b', 'Größe', 'x"y', 'n1', "it's", '_u']
const types = ['', 'int', 'integer', 'text', 'real', 'blob', 'numeric', 'varchar(9)']
const words = [
  '',
  'a',
  'word',
  'two words',
  'é',
  '日本',
  "it's",
  'a"b',
  'a,b',
  'a|b',
  '<i>&',
  'tab\there',
  'nl\nx',
  '\\n',
  'NULL',
  '0',
  '1e5',
  ' pad ',
  '😀',
  '\x07bell',
  'a\\tb',
]
const modes = [
  'list',
  'csv',
  'json',
  'column',
  'line',
  'tabs',
  'box',
  'table',
  'markdown',
  'html',
  'quote',
  'ascii',
  'insert t2',
  'tcl',
  'qbox',
  'box --wrap 6',
  'table --wrap 5 --wordwrap on',
  'column --wrap 9',
]

export function generatedScript(random: Random): string {
  const pick = <Item>(items: readonly Item[]) => items[random(items.length)] as Item
  const name = (text: string) => `"${text.replaceAll('"', '""')}"`
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`
  const real = (make: () => string): string => {
    const made = make()
    return isBetweenVersions(made) ? real(make) : made
  }
  const digits = (count: number) => Array.from({ length: count }, () => random(10)).join('')

  function value(): string {
    const kind = random(12)
    if (kind < 2) return `${random(2) ? '-' : ''}${digits(1 + random(4))}`
    if (kind === 2) return pick(['9223372036854775807', '-9223372036854775808', '4294967296', '0'])
    if (kind < 6) return real(() => `${random(2) ? '-' : ''}${digits(1 + random(17))}.${digits(1 + random(17))}`)
    if (kind === 6)
      return real(() => `${1 + random(9)}.${digits(1 + random(16))}e${random(2) ? '-' : ''}${random(290)}`)
    if (kind === 7) return 'NULL'
    if (kind === 8) return `x'${Array.from({ length: random(6) }, () => digits(2)).join('')}'`
    return text(pick(words) + (random(4) === 0 ? pick(words) : ''))
  }

  const columns = [...new Set(Array.from({ length: 1 + random(4) }, () => pick(names)))]
  const table = name(pick(['t', 'my table', 'Order', 'ü']))
  const lines = [`create table ${table}(${columns.map((each) => `${name(each)} ${pick(types)}`).join(', ')});`]
  const rows = Array.from({ length: random(5) }, () => `(${columns.map(value).join(', ')})`)
  if (rows.length > 0) lines.push(`insert into ${table} values ${rows.join(',\n ')};`)
  for (let count = 0; count < 4; count += 1) {
    lines.push(`.mode ${pick(modes)}`)
    if (random(3) === 0) lines.push(`.headers ${pick(['on', 'off'])}`)
    if (random(4) === 0) lines.push(`.nullvalue ${pick(['NULL', '-', '""'])}`)
    if (random(5) === 0) lines.push(`.width ${pick(['3', '8 -4', '0 12', '-6'])}`)
    if (random(5) === 0) lines.push(`.separator ${pick([';', '"\\t"', '" | "', ', "!\\n"'])}`)
    const what = pick(['*', `count(*), ${name(columns[0] as string)}`, `typeof(${name(columns[0] as string)}) as q`])
    lines.push(`select ${what} from ${table}${pick(['', ' order by 1', ' limit 2'])};`)
  }
  lines.push(pick(['.dump', '.schema', '.dump --preserve-rowids', '.schema --indent', '.tables', '.show']))
  return `sqlite3 g.db <<'EOF'\n${lines.join('\n')}\nEOF\necho "[$?]"`
}

/**
 * The versions before and after 3.42 read and print reals by other arithmetic. They differ where that decides: for a text that lies half way between
 * two reals, and for a real whose rest after 15 digits is half of the last, nearly or exactly.
 */
function isBetweenVersions(text: string): boolean {
  const digits = Math.abs(Number(text)).toExponential(25).replace('.', '')
  const rest = Number(`0.${digits.slice(15, digits.indexOf('e'))}`)
  return Math.abs(rest - 0.5) < 0.01 || Math.abs(unitsOff(text)) > 0.45
}

/** How far the nearest real is from what the text says, in units of its last binary digit. */
function unitsOff(text: string): number {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)\.(\d+)(?:e(-?\d+))?$/.exec(text) ?? []
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, Math.abs(Number(text)))
  const bits = view.getBigUint64(0)
  const mantissa = (bits & ((1n << 52n) - 1n)) | (1n << 52n)
  const [numerator, denominator] = scaledBy(BigInt(whole + fraction), 10n, Number(power) - fraction.length)
  const [up, down] = scaledBy(1n, 2n, 1075 - Number(bits >> 52n))
  const thousandths = (1000n * (numerator * up - mantissa * denominator * down)) / (denominator * down)
  return Number(thousandths) / 1000
}

function scaledBy(value: bigint, base: bigint, power: number): [numerator: bigint, denominator: bigint] {
  return power < 0 ? [value, base ** BigInt(-power)] : [value * base ** BigInt(power), 1n]
}
