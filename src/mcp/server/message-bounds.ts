/** Limits of a message, with words for whoever sent it. */
import { defaultJsonBounds, type FindClosingQuote, type JsonBounds, jsonScanner } from '../../text/json-scanner.js'

export interface MessageScanner {
  /** Takes the next bytes. Returns why the message is rejected, from the bytes on that exceed a limit. */
  push(bytes: Uint8Array): string | undefined
}

export function messageScanner(bounds: JsonBounds = {}, find?: FindClosingQuote): MessageScanner {
  const { maxDepth, maxValues } = { ...defaultJsonBounds, ...bounds }
  const scanner = jsonScanner({ maxDepth, maxValues }, find)
  const words = {
    depth: `Message nested deeper than ${maxDepth} levels: send flatter arguments`,
    values: `Message with more than ${maxValues} values: split it into several requests`,
  }
  return {
    push(bytes) {
      const exceeded = scanner.push(bytes)
      return exceeded && words[exceeded]
    },
  }
}
