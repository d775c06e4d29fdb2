/** Writes one block in bzip2 format: move to front, run lengths of zeros, and up to six Huffman codes. */
import type { BitWriter } from './bit-writer.js'
import { codeLengths, codesOf } from './code-lengths.js'
import { transform } from './rotations.js'

const groupSize = 50
const longestCode = 17
const rounds = 4

export function writeBlock(out: BitWriter, block: Uint8Array, crc: number): void {
  const { lastBytes, origin } = transform(block)
  for (const byte of [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]) out.put(8, byte)
  out.put(16, crc >>> 16)
  out.put(16, crc & 0xffff)
  // The mark of a randomised block, which only old versions write.
  out.put(1, 0)
  out.put(24, origin)
  const used = writeUsed(out, block)
  const { symbols, frequencies } = moveToFront(lastBytes, used)
  const { tables, selectors } = chooseTables(symbols, frequencies)
  writeSelectors(out, selectors, tables.length)
  for (const lengths of tables) writeLengths(out, lengths)
  const codes = tables.map(codesOf)
  for (let start = 0, group = 0; start < symbols.length; start += groupSize, group += 1) {
    const table = selectors[group] as number
    const [lengths, code] = [tables[table] as Uint8Array, codes[table] as Int32Array]
    const end = Math.min(symbols.length, start + groupSize)
    for (let at = start; at < end; at += 1) {
      const symbol = symbols[at] as number
      out.put(lengths[symbol] as number, code[symbol] as number)
    }
  }
}

/** Two levels of bits say which bytes occur. */
function writeUsed(out: BitWriter, block: Uint8Array): Uint8Array {
  const isUsed = new Uint8Array(256)
  for (let at = 0; at < block.length; at += 1) isUsed[block[at] as number] = 1
  const ranges = Array.from({ length: 16 }, (_, range) => isUsed.subarray(range * 16, range * 16 + 16))
  for (const range of ranges) out.put(1, range.includes(1) ? 1 : 0)
  for (const range of ranges) if (range.includes(1)) for (const bit of range) out.put(1, bit)
  return Uint8Array.from(isUsed.keys()).filter((byte) => isUsed[byte] === 1)
}

/** Runs of zeros are numbers of the symbols 0 and 1; the last symbol ends the block. */
function moveToFront(bytes: Uint8Array, used: Uint8Array) {
  const recent = used.slice()
  const end = used.length + 1
  const symbols = new Uint16Array(bytes.length + 1)
  const frequencies = new Int32Array(end + 1)
  let size = 0
  let zeros = 0
  const add = (symbol: number): void => {
    symbols[size] = symbol
    size += 1
    frequencies[symbol] = (frequencies[symbol] as number) + 1
  }
  const addZeros = (): void => {
    for (let rest = zeros; rest > 0; rest = (rest - 1) >> 1) add((rest & 1) === 1 ? 0 : 1)
    zeros = 0
  }
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (recent[0] === byte) {
      zeros += 1
      continue
    }
    addZeros()
    let place = 0
    let before = recent[0] as number
    do {
      place += 1
      const here = recent[place] as number
      recent[place] = before
      before = here
    } while (before !== byte)
    recent[0] = byte
    add(place + 1)
  }
  addZeros()
  add(end)
  return { symbols: symbols.subarray(0, size), frequencies }
}

function tableCount(symbols: number): number {
  const limit = [200, 600, 1200, 2400].findIndex((most) => symbols < most)
  return limit === -1 ? 6 : limit + 2
}

/** Each group of symbols uses the code that is shortest for it; the codes are then made for their groups again. */
function chooseTables(symbols: Uint16Array, frequencies: Int32Array) {
  let tables = firstTables(symbols.length, frequencies)
  const selectors = new Uint8Array(Math.ceil(symbols.length / groupSize))
  for (let round = 0; round < rounds; round += 1) {
    const counts = tables.map(() => new Int32Array(frequencies.length))
    for (let group = 0; group < selectors.length; group += 1) {
      const start = group * groupSize
      const end = Math.min(symbols.length, start + groupSize)
      const best = cheapest(tables, symbols, start, end)
      selectors[group] = best
      const count = counts[best] as Int32Array
      for (let at = start; at < end; at += 1) {
        const symbol = symbols[at] as number
        count[symbol] = (count[symbol] as number) + 1
      }
    }
    tables = counts.map((count) => codeLengths(count, longestCode))
  }
  return { tables, selectors }
}

function cheapest(tables: readonly Uint8Array[], symbols: Uint16Array, start: number, end: number): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let table = 0; table < tables.length; table += 1) {
    const lengths = tables[table] as Uint8Array
    let cost = 0
    for (let at = start; at < end; at += 1) cost += lengths[symbols[at] as number] as number
    if (cost >= least) continue
    least = cost
    best = table
  }
  return best
}

/** To begin with, each code is for a range of symbols that together are equally frequent. */
function firstTables(total: number, frequencies: Int32Array): Uint8Array[] {
  const count = tableCount(total)
  const tables = Array.from({ length: count }, () => new Uint8Array(frequencies.length).fill(15))
  let rest = total
  let start = 0
  for (let left = count; left > 0; left -= 1) {
    const wanted = Math.floor(rest / left)
    let end = start - 1
    let sum = 0
    while (sum < wanted && end < frequencies.length - 1) {
      end += 1
      sum += frequencies[end] as number
    }
    if (end > start && left !== count && left !== 1 && (count - left) % 2 === 1) {
      sum -= frequencies[end] as number
      end -= 1
    }
    tables[left - 1]?.fill(0, start, end + 1)
    start = end + 1
    rest -= sum
  }
  return tables
}

function writeSelectors(out: BitWriter, selectors: Uint8Array, tables: number): void {
  out.put(3, tables)
  out.put(15, selectors.length)
  const recent = Array.from({ length: tables }, (_, table) => table)
  for (const selector of selectors) {
    const place = recent.indexOf(selector)
    recent.splice(place, 1)
    recent.unshift(selector)
    for (let bit = 0; bit < place; bit += 1) out.put(1, 1)
    out.put(1, 0)
  }
}

function writeLengths(out: BitWriter, lengths: Uint8Array): void {
  let current = lengths[0] as number
  out.put(5, current)
  for (const length of lengths) {
    for (; current < length; current += 1) out.put(2, 2)
    for (; current > length; current -= 1) out.put(2, 3)
    out.put(1, 0)
  }
}
