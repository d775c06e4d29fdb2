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
  const needles = regex.literals?.needles.map(({ text, folded }) => ({ bytes: encodeText(text), folded }))
  // A single byte that is not a character may be a part of one in the block.
  const isWhole = regex.literals?.whole === true && !regex.literals.needles.some(({ text }) => !text.isWellFormed())
  const hasOtherCases = needles?.some(({ bytes, folded }) => folded && /[iks]/.test(decodeText(bytes))) ?? false

  return {
    open(block) {
      if (needles !== undefined && !(hasOtherCases && hasFoldingCharacters(block))) return byNeedles(block, needles)
      return byText(block)
    },
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
  function byText(block: Bytes): LineFinder {
    const text = decode(block)
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

const kelvinSign = encodeText('\u212a')
const longS = encodeText('\u017f')
const dotlessI = encodeText('\u0131')

/** The characters beyond ASCII that are the same as an ASCII letter when case is ignored, by the rules of one program or another. */
function hasFoldingCharacters(block: Bytes): boolean {
  return [kelvinSign, longS, dotlessI].some((character) => findBytes(block, character, 0) >= 0)
}
