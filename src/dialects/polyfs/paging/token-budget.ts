/**
 * Estimates what a result costs. A token counts as four bytes of the message as sent, escapes included. For English and code that is more
 * than models count, so a result within this estimate is within its budget.
 */
import { utf8Length } from '../../../text/lines/lines.js'
import type { Content, ToolResult } from '../../../tools/dialect.js'
import type { Workspace } from '../../../workspace/workspace.js'

export const bytesPerToken = 4

/** What a model counts for an image of any size: an upper bound of what vendors state. */
const tokensPerImage = 1600

/** Clients disconnect on a message of more than 10 MiB, and the result is only part of the message. */
export const maxTokens = 2_000_000

/** Enough for an answer that only has counts. */
export const minTokens = 256

const usualMaxTokens = 10_000

/** The budget of a call that sets none. */
export function defaultTokens({ limits }: Workspace): number {
  return Math.max(minTokens, Math.min(usualMaxTokens, Math.floor(limits.maxOutputBytes / bytesPerToken)))
}

/** The estimate that is compared with the budget. */
export function estimateTokens({ content, structuredContent }: ToolResult): number {
  const images = content.filter(isImage).length
  const sent = { content: content.map(withoutPixels), ...(structuredContent && { structuredContent }) }
  return Math.ceil(utf8Length(JSON.stringify(sent)) / bytesPerToken) + images * tokensPerImage
}

/** True when the texts are so short that they fit whatever characters they have. A fast path for most results. */
export function isSurelyWithin(tokens: number, { content, structuredContent }: ToolResult): boolean {
  if (structuredContent !== undefined) return false
  let most = aroundBytes
  for (const { text } of content) {
    if (text === undefined) return false
    most += maxSentBytes(text.length) + aroundBytes
  }
  return most <= tokens * bytesPerToken
}

/** Bytes around a text, and around all texts, in a result. */
const aroundBytes = 32

/** Upper bound of the bytes for so many UTF-16 units. */
export function maxSentBytes(length: number): number {
  return 6 * length
}

function isImage({ type }: Content): boolean {
  return type === 'image'
}

function withoutPixels(item: Content): Content {
  return item.type === 'image' ? { ...item, data: '' } : item
}

/** Bytes that a text takes in a message, without the quotes. */
export function sentBytes(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) bytes += costAt(text, index)
  return bytes
}

/** Where to cut a text so that it takes at most `room` bytes in a message; never within a character. */
export function fittingEnd(text: string, { start, end, room }: { start: number; end: number; room: number }): number {
  if (maxSentBytes(end - start) <= room) return end
  let left = room
  for (let index = start; index < end; index += 1) {
    const cost = costAt(text, index)
    if (cost > left) return index > start && isLowSurrogate(text.charCodeAt(index)) ? index - 1 : index
    left -= cost
  }
  return end
}

/** Where to begin so that the rest takes at most `room` bytes in a message; never within a character. */
export function fittingStart(text: string, room: number): number {
  let left = room
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const cost = costAt(text, index)
    // A surrogate pair is counted at its first unit, which this loop reaches last.
    if (cost > left) return index + (cost === 4 ? 2 : 1)
    left -= cost
  }
  return 0
}

/** The bytes of one UTF-16 unit; those of a surrogate pair are counted at its first unit. */
function costAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  if (unit < 0x80) return asciiCosts[unit] as number
  if (unit < 0x800) return 2
  if (unit < 0xd800 || unit > 0xdfff) return 3
  if (isLowSurrogate(unit)) return index > 0 && isHighSurrogate(text.charCodeAt(index - 1)) ? 0 : 6
  return isLowSurrogate(text.charCodeAt(index + 1)) ? 4 : 6
}

/** A table, because it is used for every character of an answer. */
const asciiCosts = Uint8Array.from({ length: 0x80 }, (_, unit) => JSON.stringify(String.fromCharCode(unit)).length - 2)

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
