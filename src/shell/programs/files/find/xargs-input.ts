/** The items that `xargs` reads. */
import type { Bytes } from '../../../../fs/types.js'
import { decodeText } from '../../../io/byte-text.js'
import { type ByteReader, concat, lineBatches } from '../../../io/streams.js'
import { ProgramError } from '../../program-error.js'

export interface Item {
  text: string
  /** The last of its line, for `-L`. */
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

export function readItems(reader: ByteReader, rules: ItemRules): AsyncGenerator<Item> {
  return rules.delimiter === undefined ? quotedItems(reader, rules) : delimitedItems(reader, rules.delimiter)
}

async function* delimitedItems(reader: ByteReader, delimiter: number): AsyncGenerator<Item> {
  for await (const batch of lineBatches(reader, delimiter)) {
    for (const item of batch) {
      const end = item[item.length - 1] === delimiter ? item.length - 1 : item.length
      yield { text: decodeText(item.subarray(0, end)), endsLine: true }
    }
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

/** Blanks separate items, unless quoted. A line that ends with a blank goes on in the next one, for `-L`. */
async function* quotedItems(reader: ByteReader, { isLines, endMark }: ItemRules): AsyncGenerator<Item> {
  let item: number[] = []
  let hasItem = false
  let quote = 0
  let isEscaped = false
  let lastIsBlank = false
  /** Held back until it is known whether it is the last of its line. */
  let held: Item | undefined

  const take = (): string => {
    const text = decodeText(Uint8Array.from(item) as Bytes)
    item = []
    hasItem = false
    return text
  }

  for await (const batch of lineBatches(reader)) {
    const bytes = concat(batch)
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] as number
      if (isEscaped) {
        item.push(byte)
        hasItem = true
        isEscaped = false
        lastIsBlank = false
        continue
      }
      if (quote !== 0) {
        if (byte === lineFeed) {
          if (held !== undefined) yield held
          throw unmatched(quote)
        }
        if (byte === quote) quote = 0
        else item.push(byte)
        continue
      }
      if (byte === lineFeed || (!isLines && isGap(byte))) {
        if (hasItem) {
          const text = take()
          if (endMark !== undefined && text === endMark) {
            if (held !== undefined) yield held
            return
          }
          if (held !== undefined) yield held
          held = { text, endsLine: false }
        }
        if (byte === lineFeed && held !== undefined && !lastIsBlank) {
          yield { ...held, endsLine: true }
          held = undefined
        }
        lastIsBlank = byte !== lineFeed && isBlank(byte)
        continue
      }
      lastIsBlank = false
      if (byte === singleQuote || byte === doubleQuote) {
        quote = byte
        hasItem = true
      } else if (byte === backslash) isEscaped = true
      else if (isLines && !hasItem && isGap(byte)) continue
      else {
        item.push(byte)
        hasItem = true
      }
    }
  }
  if (quote !== 0) {
    if (held !== undefined) yield held
    throw unmatched(quote)
  }
  if (hasItem) {
    const text = take()
    if (held !== undefined) yield held
    held = endMark !== undefined && text === endMark ? undefined : { text, endsLine: true }
  }
  if (held !== undefined) yield { ...held, endsLine: true }
}

function unmatched(quote: number): ProgramError {
  const name = quote === singleQuote ? 'single' : 'double'
  return new ProgramError(
    `unmatched ${name} quote; by default quotes are special to xargs unless you use the -0 option`,
  )
}
