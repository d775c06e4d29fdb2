/** The items that `xargs` reads. */
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText } from '../../../io/byte-text.js'
import { type ByteReader, concat, lineBatches } from '../../../io/streams.js'
import { ProgramError } from '../../program-error.js'

export interface Item {
  text: string
  /** The last of its line, for `-L`. A line that ends with a blank goes on in the next one. */
  endsLine: boolean
}

export interface ItemRules {
  /** With a delimiter, quotes and backslashes mean nothing. */
  delimiter: number | undefined
  /** Each line is one item, without the blanks before it. */
  isLines: boolean
  /** An item that ends the input. */
  endMark: string | undefined
}

/** The items in batches: as many as are known without waiting. */
export function readItems(reader: ByteReader, rules: ItemRules): AsyncGenerator<Item[]> {
  return rules.delimiter === undefined ? quotedItems(reader, rules) : delimitedItems(reader, rules.delimiter)
}

async function* delimitedItems(reader: ByteReader, delimiter: number): AsyncGenerator<Item[]> {
  for await (const batch of lineBatches(reader, delimiter)) {
    yield batch.map((item) => {
      const end = item[item.length - 1] === delimiter ? item.length - 1 : item.length
      return { text: decodeText(item.subarray(0, end)), endsLine: end < item.length }
    })
  }
}

const space = 0x20
const tab = 0x09
const lineFeed = 0x0a
const backslash = 0x5c
const singleQuote = 0x27
const doubleQuote = 0x22

const isBlank = (byte: number) => byte === space || byte === tab
/** What ends an item besides line feeds. */
const isGap = (byte: number) => isBlank(byte) || byte === 0x0b || byte === 0x0c || byte === 0x0d

/** Blanks separate items, unless quoted. */
async function* quotedItems(reader: ByteReader, { isLines, endMark }: ItemRules): AsyncGenerator<Item[]> {
  let item: number[] = []
  let hasItem = false
  let quote = 0
  let isEscaped = false
  let previous = 0

  const take = (endsLine: boolean): Item => {
    const taken = { text: textOf(item), endsLine }
    item = []
    hasItem = false
    return taken
  }

  for await (const batch of lineBatches(reader)) {
    const found: Item[] = []
    for (const byte of concat(batch)) {
      const before = previous
      previous = byte
      if (isEscaped) {
        item.push(byte)
        hasItem = true
        isEscaped = false
      } else if (quote !== 0) {
        if (byte === lineFeed) {
          if (found.length > 0) yield found
          throw unmatched(quote)
        }
        if (byte === quote) quote = 0
        else item.push(byte)
      } else if (byte === lineFeed || (isGap(byte) && (!isLines || !hasItem))) {
        if (!hasItem) continue
        const taken = take(byte === lineFeed && !isBlank(before))
        if (endMark !== undefined && taken.text === endMark) {
          if (found.length > 0) yield found
          return
        }
        found.push(taken)
      } else if (byte === singleQuote || byte === doubleQuote) {
        quote = byte
        hasItem = true
      } else if (byte === backslash) isEscaped = true
      else {
        item.push(byte)
        hasItem = true
      }
    }
    if (found.length > 0) yield found
  }
  // At the end, an empty item is left out, even after a quote, and the mark is an item.
  if (item.length === 0) return
  if (quote !== 0) throw unmatched(quote)
  yield [take(true)]
}

/** Most items are short and of ASCII characters. */
function textOf(item: readonly number[]): string {
  let text = ''
  for (const byte of item) {
    if (byte >= 0x80) return decodeText(Uint8Array.from(item) as Bytes)
    text += String.fromCharCode(byte)
  }
  return text
}

function unmatched(quote: number): ProgramError {
  const name = quote === singleQuote ? 'single' : 'double'
  return new ProgramError(
    `unmatched ${name} quote; by default quotes are special to xargs unless you use the -0 option`,
  )
}
