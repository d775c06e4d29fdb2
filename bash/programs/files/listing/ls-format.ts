/** The lines that `ls` prints. */
import type { Stat } from '../../../../src/fs/types.js'
import { isPipe } from '../../../io/named-pipes.js'
import type { ProgramIo } from '../../../io/program.js'
import { escapedCharacter, isUnprintable, quoted, quotedIfNeeded, quotedName } from '../../quoting.js'
import { textWidth } from '../../text/common/char-width.js'
import { allocatedOf, inodeOf, modeOf, modeText, sizeOf, userId, userName } from '../shared/facts.js'
import { sizeText } from '../shared/sizes.js'
import { timeText } from '../shared/times.js'
import { type Listed, timeOf } from './ls-entries.js'
import type { ListingRules } from './ls-rules.js'

/** Half of a mean year. */
const recentMs = (31_556_952 / 2) * 1000

export async function printEntries(io: ProgramIo, entries: readonly Listed[], rules: ListingRules): Promise<void> {
  if (entries.length === 0) return
  if (rules.format === 'long') return printLong(io, entries, rules)
  const prefixes = prefixesOf(io, entries, rules)
  const names = shownNames(entries, rules)
  const texts = entries.map(({ stat }, index) => `${prefixes[index]}${names[index]}${indicator(stat, rules)}`)
  if (rules.format === 'single') {
    for (const text of texts) await io.stdout.write(text + rules.end)
  } else if (rules.format === 'commas') await io.stdout.write(withCommas(texts, rules))
  else await io.stdout.write(inColumns(texts, rules))
}

export function totalLine(entries: readonly Listed[], rules: ListingRules): string {
  const bytes = entries.reduce((sum, { stat }) => sum + allocatedOf(stat), 0)
  return `total ${sizeText(bytes, rules.blockSizes)}${rules.end}`
}

/** Inode and blocks, each in a column of its own unless names are separated by commas. */
function prefixesOf(io: ProgramIo, entries: readonly Listed[], rules: ListingRules): string[] {
  const pad = (texts: string[]) => (rules.format === 'commas' ? texts : alignRight(texts))
  const inodes = rules.showsInode ? pad(entries.map(({ path, stat }) => String(inodeOf(io, path, stat)))) : []
  const blocks = rules.showsBlocks ? pad(entries.map(({ stat }) => sizeText(allocatedOf(stat), rules.blockSizes))) : []
  return entries.map((_, index) =>
    [inodes[index], blocks[index], rules.showsContext && rules.format !== 'long' ? '?' : undefined]
      .map((text) => (text === undefined ? '' : `${text} `))
      .join(''),
  )
}

function alignRight(texts: readonly string[]): string[] {
  const width = Math.max(...texts.map((text) => text.length))
  return texts.map((text) => text.padStart(width))
}

async function printLong(io: ProgramIo, entries: readonly Listed[], rules: ListingRules): Promise<void> {
  const prefixes = prefixesOf(io, entries, rules)
  const names = shownNames(entries, rules)
  const links = alignRight(entries.map((entry) => (entry.isUnknown ? '?' : String(entry.links))))
  const owner = rules.isNumeric ? String(userId) : userName
  const ownerCount = [rules.showsOwner, rules.showsGroup, rules.showsAuthor].filter(Boolean).length
  const sizes = alignRight(entries.map((entry) => shownSize(entry, rules)))
  const times = entries.map((entry) => (entry.isUnknown ? undefined : shownTime(io, entry.stat, rules)))
  const timeWidth = Math.max(...times.map((time) => time?.length ?? 12))
  for (const [index, entry] of entries.entries()) {
    const link =
      entry.target === undefined ? '' : ` -> ${shownName(entry.target, rules)}${targetIndicator(entry, rules)}`
    const mark = entry.target === undefined ? indicator(entry.stat, rules) : ''
    const mode = entry.isUnknown ? 'l?????????' : modeText(entry.stat)
    const context = rules.showsContext ? '? ' : ''
    const owners = `${entry.isUnknown ? '?'.padEnd(owner.length) : owner} `.repeat(ownerCount) + context
    const time = times[index]?.padEnd(timeWidth) ?? '?'.padStart(timeWidth)
    const name = `${names[index]}${mark}${link}`
    await io.stdout.write(
      `${prefixes[index]}${mode} ${links[index]} ${owners}${sizes[index]} ${time} ${name}${rules.end}`,
    )
  }
}

function shownSize({ stat, target, isUnknown }: Listed, { fileSizes }: ListingRules): string {
  if (isUnknown) return '?'
  return stat.kind === 'other' ? '0' : sizeText(sizeOf(stat, target), fileSizes)
}

function targetIndicator({ targetStat }: Listed, rules: ListingRules): string {
  return targetStat === undefined ? '' : indicator(targetStat, rules)
}

/** Undefined where the tree does not know it, as of directories in the browser's storage. */
function shownTime(io: ProgramIo, stat: Stat, { time, timeFormats }: ListingRules): string | undefined {
  if (stat.modifiedMs === undefined && stat.changedMs === undefined) return undefined
  const [recent, old] = timeFormats
  const at = timeOf(stat, time)
  const now = io.now()
  return timeText(io, at, at > now - recentMs && at <= now ? recent : old)
}

/** Names without quotes are moved to the right where others have quotes, so that they stand below each other. */
function shownNames(entries: readonly Listed[], rules: ListingRules): string[] {
  const names = entries.map(({ name }) => shownName(name, rules))
  const isAligned = rules.format !== 'single' && rules.format !== 'commas' && rules.quoting === 'shell'
  if (!isAligned || names.every((name, index) => name === entries[index]?.name)) return names
  return names.map((name, index) => (name === entries[index]?.name ? ` ${name}` : name))
}

export function indicator(stat: Stat, { indicators }: ListingRules): string {
  if (indicators === 'none') return ''
  if (stat.kind === 'directory') return '/'
  if (indicators === 'slash') return ''
  if (stat.kind === 'symlink') return '@'
  if (isPipe(stat)) return '|'
  return indicators === 'classify' && stat.kind === 'file' && modeOf(stat) & 0o111 ? '*' : ''
}

export function shownName(name: string, { quoting, hidesControl }: ListingRules): string {
  if (quoting === 'literal') {
    return hidesControl ? [...name].map((character) => (isUnprintable(character) ? '?' : character)).join('') : name
  }
  if (quoting === 'shell') return quotedIfNeeded(name)
  if (quoting === 'shell-always') return quotedName(name)
  if (quoting === 'locale') return quoted(name)
  const special = quoting === 'c' ? '"' : ' '
  const inner = [...name].map((character) => {
    if (character === '\\' || character === special) return `\\${character}`
    return isUnprintable(character) ? escapedCharacter(character) : character
  })
  return quoting === 'c' ? `"${inner.join('')}"` : inner.join('')
}

function withCommas(texts: readonly string[], { width, end }: ListingRules): string {
  let text = ''
  let column = 0
  for (const [index, one] of texts.entries()) {
    const size = textWidth(one)
    if (index > 0) {
      const isFitting = column + size + 2 < width
      text += isFitting ? ', ' : `,${end}`
      column = isFitting ? column + 2 : 0
    }
    text += one
    column += size
  }
  return text + end
}

const gap = 2

/** As many columns as fit, each as wide as its widest name. */
function inColumns(texts: readonly string[], { width, format, tabSize, end }: ListingRules): string {
  const sizes = texts.map(textWidth)
  const isAcross = format === 'across'
  const { rows, columns, widths } = layout(sizes, width, isAcross)
  let output = ''
  for (let row = 0; row < rows; row += 1) {
    let at = 0
    let target = 0
    for (let column = 0; column < columns; column += 1) {
      const index = isAcross ? row * columns + column : column * rows + row
      const text = texts[index]
      if (text === undefined) break
      output += indent(at, target, tabSize) + text
      at = target + (sizes[index] as number)
      target += widths[column] as number
    }
    output += end
  }
  return output
}

function layout(
  sizes: readonly number[],
  width: number,
  isAcross: boolean,
): { rows: number; columns: number; widths: number[] } {
  const most = Math.min(sizes.length, Math.max(1, Math.ceil(width / 3)))
  for (let columns = most; columns > 1; columns -= 1) {
    const rows = Math.ceil(sizes.length / columns)
    const widths = Array.from({ length: columns }, () => 3)
    // As in GNU ls, columns that are as wide as at the start always fit.
    let isWidened = false
    for (const [index, size] of sizes.entries()) {
      const column = isAcross ? index % columns : Math.floor(index / rows)
      const needed = size + (column === columns - 1 ? 0 : gap)
      if (needed <= (widths[column] as number)) continue
      widths[column] = needed
      isWidened = true
    }
    if (!isWidened || widths.reduce((sum, one) => sum + one, 0) < width) return { rows, columns, widths }
  }
  return { rows: sizes.length, columns: 1, widths: [0] }
}

/** From one column to another, with tabs where they reach. */
function indent(from: number, to: number, tabSize: number): string {
  let text = ''
  let at = from
  while (at < to) {
    if (tabSize !== 0 && Math.floor(to / tabSize) > Math.floor((at + 1) / tabSize)) {
      text += '\t'
      at += tabSize - (at % tabSize)
    } else {
      text += ' '
      at += 1
    }
  }
  return text
}
