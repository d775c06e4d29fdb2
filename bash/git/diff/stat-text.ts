/** Prints `--stat`, `--shortstat`, `--numstat` and `--summary`. */
import { decodeText } from '../../io/byte-text.js'
import { type Colors, noColors } from '../color.js'
import { type FilePair, maxScore } from './pairs.js'
import { contentsOf, countChanges, percent, type TextOptions } from './patch-text.js'

export interface FileStat {
  pair: FilePair
  isBinary: boolean
  added: number
  removed: number
  sizeBefore: number
  sizeAfter: number
}

/** The numbers of each file; files in which nothing is left with `-w` and the like are left out. */
export async function statsOf(pairs: readonly FilePair[], options: TextOptions): Promise<FileStat[]> {
  const stats: FileStat[] = []
  for (const pair of pairs) {
    if (pair.status === 'U') {
      stats.push({ pair, isBinary: false, added: 0, removed: 0, sizeBefore: 0, sizeAfter: 0 })
      continue
    }
    const isSame = pair.before !== undefined && pair.before.oid === pair.after?.oid
    const { before, after, isBinary } = isSame
      ? { before: new Uint8Array(), after: new Uint8Array(), isBinary: false }
      : await contentsOf(pair, options)
    const counts = isBinary ? { added: 0, removed: 0 } : countChanges(decodeText(before), decodeText(after), options)
    const isEmpty = !isBinary && counts.added === 0 && counts.removed === 0
    if (isEmpty && !isSame && pair.status === 'M' && pair.before?.mode === pair.after?.mode) continue
    stats.push({ pair, isBinary, ...counts, sizeBefore: before.length, sizeAfter: after.length })
  }
  return stats
}

export interface StatOptions {
  width?: number
  nameWidth?: number
  count?: number
  quote: (path: string) => string
  shown: (path: string) => string
  /** Add `(new)`, `(gone)` and modes to the names. */
  compactSummary?: boolean
  colors?: Colors
}

export function printStat(stats: readonly FileStat[], options: StatOptions): string {
  if (stats.length === 0) return ''
  const { paint } = options.colors ?? noColors
  const shown = options.count === undefined ? stats : stats.slice(0, options.count)
  const names = shown.map(({ pair }) => statName(pair, options))
  let [most, binaryWidth, numberWidth] = [0, 0, 0]
  for (const { pair, isBinary, added, removed, sizeBefore, sizeAfter } of shown) {
    if (pair.status === 'U') binaryWidth = Math.max(binaryWidth, 'Unmerged'.length)
    else if (isBinary) {
      binaryWidth = Math.max(binaryWidth, 14 + `${sizeAfter}`.length + `${sizeBefore}`.length)
      numberWidth = 3
    } else most = Math.max(most, added + removed)
  }
  numberWidth = Math.max(numberWidth, `${most}`.length)
  const longest = Math.max(...names.map(widthOf))
  const width = Math.max(options.width ?? 80, 16 + 6 + numberWidth)
  let graphWidth = most + 4 > binaryWidth ? most : binaryWidth - 4
  let nameWidth =
    options.nameWidth !== undefined && options.nameWidth > 0 && options.nameWidth < longest
      ? options.nameWidth
      : longest
  if (nameWidth + numberWidth + 6 + graphWidth > width) {
    const limit = Math.trunc((width * 3) / 8) - numberWidth - 6
    if (graphWidth > limit) graphWidth = Math.max(6, limit)
    if (nameWidth > width - numberWidth - 6 - graphWidth) nameWidth = width - numberWidth - 6 - graphWidth
    else graphWidth = width - numberWidth - 6 - nameWidth
  }
  const rows = shown.map(({ pair, isBinary, added, removed, sizeBefore, sizeAfter }, i) => {
    const name = fitted(names[i] as string, nameWidth)
    // As git does, without a line end.
    if (pair.status === 'U') return ` ${name} | ${'Unmerged'.padStart(numberWidth)}`
    if (isBinary) {
      const [from, to] = [paint('diff.old', `${sizeBefore}`), paint('diff.new', `${sizeAfter}`)]
      const sizes = sizeBefore === 0 && sizeAfter === 0 ? '' : ` ${from} -> ${to} bytes`
      return ` ${name} | ${'Bin'.padStart(numberWidth)}${sizes}\n`
    }
    const total = added + removed
    return ` ${name} | ${`${total}`.padStart(numberWidth)}${total > 0 ? ' ' : ''}${bars(added, removed, graphWidth, most, paint)}\n`
  })
  const more = shown.length < stats.length ? ' ...\n' : ''
  return rows.join('') + more + printTotals(stats)
}

function bars(added: number, removed: number, width: number, most: number, paint: Colors['paint']): string {
  let [plus, minus] = [added, removed]
  if (width <= most) {
    const scaled = (count: number) => (count === 0 ? 0 : 1 + Math.trunc((count * (width - 1)) / most))
    let total = scaled(added + removed)
    if (total < 2 && added > 0 && removed > 0) total = 2
    if (added < removed) {
      plus = scaled(added)
      minus = total - plus
    } else {
      minus = scaled(removed)
      plus = total - minus
    }
  }
  return (plus > 0 ? paint('diff.new', '+'.repeat(plus)) : '') + (minus > 0 ? paint('diff.old', '-'.repeat(minus)) : '')
}

function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    const code = character.codePointAt(0) as number
    const isWide =
      (code >= 0x1100 && code <= 0x115f) ||
      (code >= 0x2e80 && code <= 0xa4cf) ||
      (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) ||
      (code >= 0xfe30 && code <= 0xfe6f) ||
      (code >= 0xff00 && code <= 0xff60) ||
      (code >= 0x1f300 && code <= 0x1f64f) ||
      (code >= 0x20000 && code <= 0x3fffd)
    width += isWide ? 2 : 1
  }
  return width
}

function fitted(name: string, width: number): string {
  if (widthOf(name) <= width) return name + ' '.repeat(width - widthOf(name))
  const tail = name.slice(name.length - Math.max(0, width - 3))
  const slash = tail.indexOf('/')
  const text = `...${slash === -1 ? tail : tail.slice(slash)}`
  return text.padEnd(width)
}

function statName(pair: FilePair, { quote, shown, compactSummary }: StatOptions): string {
  const name = renameName(pair, quote, shown)
  if (!compactSummary) return name
  const { before, after } = pair
  const isRun = (mode: number | undefined) => mode === 0o100755
  if (before === undefined) return `${name} (new${isRun(after?.mode) ? ' +x' : after?.mode === 0o120000 ? ' +l' : ''})`
  if (after === undefined) return `${name} (gone)`
  if (before.mode === after.mode) return name
  if (isRun(after.mode) && before.mode === 0o100644) return `${name} (mode +x)`
  if (isRun(before.mode) && after.mode === 0o100644) return `${name} (mode -x)`
  return name
}

/** `dir/{old => new}/name` */
export function renameName(
  { path, oldPath, status }: FilePair,
  quote: (path: string) => string,
  shown = (each: string) => each,
): string {
  const [from, to] = [shown(oldPath), shown(path)]
  if (status !== 'R' && status !== 'C' && (status !== 'M' || oldPath === path)) return quote(to)
  if (quote(from) !== from || quote(to) !== to) return `${quote(from)} => ${quote(to)}`
  let head = 0
  for (let i = 0; i < from.length && i < to.length && from[i] === to[i]; i += 1) if (from[i] === '/') head = i + 1
  let tail = 0
  const edge = head - (head > 0 ? 1 : 0)
  for (
    let i = 1;
    from.length - i >= edge && to.length - i >= edge && from[from.length - i] === to[to.length - i];
    i += 1
  ) {
    if (from[from.length - i] === '/') tail = i
  }
  const [a, b] = [
    from.slice(head, Math.max(head, from.length - tail)),
    to.slice(head, Math.max(head, to.length - tail)),
  ]
  if (head + tail === 0) return `${a} => ${b}`
  return `${from.slice(0, head)}{${a} => ${b}}${from.slice(from.length - tail)}`
}

/** ` 2 files changed, 3 insertions(+), 1 deletion(-)` */
export function printTotals(stats: readonly FileStat[]): string {
  const counted = stats.filter(({ pair }) => pair.status !== 'U')
  if (counted.length === 0) return ' 0 files changed\n'
  const added = counted.reduce((sum, stat) => sum + stat.added, 0)
  const removed = counted.reduce((sum, stat) => sum + stat.removed, 0)
  const parts = [`${counted.length} file${counted.length === 1 ? '' : 's'} changed`]
  if (added > 0 || removed === 0) parts.push(`${added} insertion${added === 1 ? '' : 's'}(+)`)
  if (removed > 0 || added === 0) parts.push(`${removed} deletion${removed === 1 ? '' : 's'}(-)`)
  return ` ${parts.join(', ')}\n`
}

export function printNumStat(
  stats: readonly FileStat[],
  quote: (path: string) => string,
  shown: (path: string) => string,
  isNul: boolean,
): string {
  return stats
    .map(({ pair, isBinary, added, removed }) => {
      const counts = isBinary ? '-\t-\t' : `${added}\t${removed}\t`
      if (!isNul) return `${counts}${renameName(pair, quote, shown)}\n`
      if (pair.status === 'R') return `${counts}\0${shown(pair.oldPath)}\0${shown(pair.path)}\0`
      return `${counts}${shown(pair.path)}\0`
    })
    .join('')
}

/** Files that were created, removed or renamed, and changes of modes. */
export function printSummary(
  pairs: readonly FilePair[],
  quote: (path: string) => string,
  shown: (path: string) => string,
): string {
  const octal = (mode = 0) => mode.toString(8).padStart(6, '0')
  return pairs
    .map((pair) => {
      const { before, after, status, score = maxScore } = pair
      const name = quote(shown(pair.path))
      if (status === 'A') return ` create mode ${octal(after?.mode)} ${name}\n`
      if (status === 'D') return ` delete mode ${octal(before?.mode)} ${name}\n`
      if (status === 'U' || before === undefined || after === undefined) return ''
      const change = before.mode === after.mode ? '' : ` mode change ${octal(before.mode)} => ${octal(after.mode)}`
      if (status === 'R' || status === 'C') {
        const word = status === 'R' ? 'rename' : 'copy'
        return ` ${word} ${renameName(pair, quote, shown)} (${percent(score)}%)\n${change === '' ? '' : `${change}\n`}`
      }
      return change === '' ? '' : `${change} ${name}\n`
    })
    .join('')
}
