/**
 * What a result may cost. A token is taken for four bytes of the message as it is sent, escapes included: for English and code that is
 * somewhat more than models count, so that a result within its budget by this estimate is within it in fact.
 */
import { utf8Length } from '../../../text/lines/lines.js'
import type { Content, ToolResult } from '../../../tools/dialect.js'
import type { Workspace } from '../../../workspace.js'

export const bytesPerToken = 4

/** What a model takes for a picture, whatever its size in bytes: an upper bound of what vendors state. */
const tokensPerImage = 1600

/** No budget goes further: clients hang up on a message of more than 10 MiB, and there is more in a message than its result. */
export const mostTokens = 2_000_000

/** Enough for any answer that tells counts alone. */
export const leastTokens = 256

const usualTokens = 10_000

/** The budget of a call that names none. */
export function defaultTokens({ limits }: Workspace): number {
  return Math.max(leastTokens, Math.min(usualTokens, Math.floor(limits.maxOutputBytes / bytesPerToken)))
}

/** The estimate that no result exceeds. */
export function estimateTokens({ content, structuredContent }: ToolResult): number {
  const images = content.filter(isImage).length
  const sent = { content: content.map(withoutPixels), ...(structuredContent && { structuredContent }) }
  return Math.ceil(utf8Length(JSON.stringify(sent)) / bytesPerToken) + images * tokensPerImage
}

/** True for a result whose texts are so short that whatever is in them is within so many tokens: that is most of them, and quickly told. */
export function isSurelyWithin(tokens: number, { content, structuredContent }: ToolResult): boolean {
  if (structuredContent !== undefined) return false
  let most = aroundBytes
  for (const { text } of content) {
    if (text === undefined) return false
    most += mostSentBytes(text.length) + aroundBytes
  }
  return most <= tokens * bytesPerToken
}

/** What is around a text, and around all of them, in a result. */
const aroundBytes = 32

/** What text of so many UTF-16 units takes at most. */
export function mostSentBytes(length: number): number {
  return 6 * length
}

function isImage({ type }: Content): boolean {
  return type === 'image'
}

function withoutPixels(item: Content): Content {
  return item.type === 'image' ? { ...item, data: '' } : item
}

/** Bytes that text takes in a message, without the quotes around it. */
export function sentBytes(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) bytes += costAt(text, index)
  return bytes
}

/** Where to cut text so that it takes no more than `room` bytes in a message; never within a character. */
export function fittingEnd(text: string, { start, end, room }: { start: number; end: number; room: number }): number {
  if (mostSentBytes(end - start) <= room) return end
  let left = room
  for (let index = start; index < end; index += 1) {
    const cost = costAt(text, index)
    if (cost > left) return index > start && isLowSurrogate(text.charCodeAt(index)) ? index - 1 : index
    left -= cost
  }
  return end
}

/** Where to begin so that what follows takes no more than `room` bytes in a message; never within a character. */
export function fittingStart(text: string, room: number): number {
  let left = room
  for (let index = text.length - 1; index >= 0; index -= 1) {
    const cost = costAt(text, index)
    // A pair is paid with its first unit, which is the last to come here.
    if (cost > left) return index + (cost === 4 ? 2 : 1)
    left -= cost
  }
  return 0
}

/** Of one UTF-16 unit; a pair is paid with its first. */
function costAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  if (unit < 0x80) return asciiCosts[unit] as number
  if (unit < 0x800) return 2
  if (unit < 0xd800 || unit > 0xdfff) return 3
  if (isLowSurrogate(unit)) return index > 0 && isHighSurrogate(text.charCodeAt(index - 1)) ? 0 : 6
  return isLowSurrogate(text.charCodeAt(index + 1)) ? 4 : 6
}

/** Looked up for every character of an answer. */
const asciiCosts = Uint8Array.from({ length: 0x80 }, (_, unit) => JSON.stringify(String.fromCharCode(unit)).length - 2)

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
