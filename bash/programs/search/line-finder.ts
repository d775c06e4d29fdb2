/** Finds the lines of a block of bytes that match, without decoding the others where every match contains a known text. */
import type { Bytes } from '../../../src/fs/types.js'
import { findBytes, findFolded } from '../../../src/search/bytes/find-bytes.js'
import { decodeText, encodeText } from '../../io/byte-text.js'
import type { ShellRegex } from '../../regex/index.js'

export interface FoundLine {
  start: number
  /** The place of the delimiter. */
  end: number
}

/** The next line at or after `from`, which is the start of a line. */
export type LineFinder = (from: number) => FoundLine | undefined

type Cursor = (from: number) => number

export interface LineFinders {
  /** For a block of whole lines, each with its delimiter. Call it with places that do not decrease. */
  open(block: Bytes): LineFinder
}

export function lineFinders(regex: ShellRegex, delimiter: number, decode = decodeText): LineFinders {
  const given = regex.literals?.needles
  const needles = given?.map(({ text, folded }) => ({ bytes: encodeText(text), folded }))
  // A single byte that is not a character may be a part of one in the block.
  const isWhole = regex.literals?.whole === true && !regex.literals.needles.some(({ text }) => !text.isWellFormed())
  const folded = given?.some((needle) => needle.folded) ? foldedExpression(given.map(({ text }) => text)) : undefined
  const kin = [...new Set(given?.flatMap((needle) => [...(needle.kin ?? '')]))]

  return {
    open(block) {
      if (needles === undefined) return byText(block, decode(block))
      if (folded === undefined) return byNeedles(block, needles)
      // Without regard to case, a RegExp is faster than two searches for each letter's bytes, also with the decoding.
      const text = decode(block)
      if (text.length === block.length) return byUnits(text, folded)
      return kin.some((character) => text.includes(character)) ? byText(block, text) : byNeedles(block, needles)
    },
  }

  /** In a text with one unit for each byte. */
  function byUnits(text: string, expression: RegExp): LineFinder {
    const mark = String.fromCharCode(delimiter)
    return (from) => {
      for (let at = from; at < text.length; ) {
        expression.lastIndex = at
        const found = expression.exec(text)
        if (found === null) return undefined
        const start = found.index === 0 ? 0 : text.lastIndexOf(mark, found.index - 1) + 1
        const end = text.indexOf(mark, found.index)
        if (isWhole || regex.test(text.slice(start, end))) return { start, end }
        at = end + 1
      }
      return undefined
    }
  }

  function byNeedles(block: Bytes, list: ReadonlyArray<{ bytes: Bytes; folded: boolean }>): LineFinder {
    const cursors = list.map(({ bytes, folded }): Cursor => {
      return remembered(folded ? findFolded(block, bytes) : (from) => findBytes(block, bytes, from))
    })
    return (from) => {
      for (let at = from; at < block.length; ) {
        let place = -1
        for (const cursor of cursors) {
          const found = cursor(at)
          if (found >= 0 && (place < 0 || found < place)) place = found
        }
        if (place < 0) return undefined
        const start = place === 0 ? 0 : block.lastIndexOf(delimiter, place - 1) + 1
        const end = block.indexOf(delimiter, place)
        if (isWhole || regex.test(decode(block.subarray(start, end)))) return { start, end }
        at = end + 1
      }
      return undefined
    }
  }

  /** Decodes the whole block once: lines of bytes and of text are walked side by side. */
  function byText(block: Bytes, text: string): LineFinder {
    const mark = String.fromCharCode(delimiter)
    const isPlain = text.length === block.length
    let at = 0
    let textAt = 0
    return (from) => {
      while (at < block.length) {
        const textEnd = text.indexOf(mark, textAt)
        const end = isPlain ? textEnd : block.indexOf(delimiter, at)
        const start = at
        const line = text.slice(textAt, textEnd)
        at = end + 1
        textAt = textEnd + 1
        if (start >= from && regex.test(line)) return { start, end }
      }
      return undefined
    }
  }
}

/** Does not search again for what lies ahead. */
function remembered(find: Cursor): Cursor {
  let next = -2
  return (from) => {
    if (next !== -1 && next < from) next = find(from)
    return next
  }
}

/** Finds any of the texts, with the case of ASCII letters ignored. */
function foldedExpression(texts: readonly string[]): RegExp {
  return new RegExp(texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'gi')
}
