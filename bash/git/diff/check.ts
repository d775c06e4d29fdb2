/** `git diff --check`: faults in the white space of added lines. */

import { splitAfterLf } from '../../../src/text/diff/diff-lines.js'
import { decodeText } from '../../io/byte-text.js'
import type { FilePair } from './pairs.js'
import { changesOf, contentsOf, type PatchOptions } from './patch-text.js'

/** What is wrong, one fault after the other; empty when nothing is. */
export async function whiteSpaceFaults(pairs: readonly FilePair[], options: PatchOptions): Promise<string> {
  let text = ''
  for (const pair of pairs) {
    if (pair.after === undefined || pair.status === 'U' || pair.before?.oid === pair.after.oid) continue
    const { before, after, isBinary } = await contentsOf(pair, options)
    if (isBinary) continue
    const [old, now] = [splitAfterLf(decodeText(before)), splitAfterLf(decodeText(after))]
    const name = options.quote(options.shown(pair.path))
    const changes = changesOf(old, now, options)
    for (const { newStart, newEnd } of changes) {
      for (let i = newStart; i < newEnd; i += 1) {
        const line = (now[i] as string).replace(/\n$/, '')
        const faults = [
          ...(/[ \t\r\f\v]$/.test(line) ? ['trailing whitespace'] : []),
          ...(/^\t* +\t/.test(line) ? ['space before tab in indent'] : []),
        ]
        if (faults.length > 0) text += `${name}:${i + 1}: ${faults.join(', ')}.\n+${line}\n`
      }
    }
    text += blankLinesAtEnd(name, old, now)
  }
  return text
}

/** New blank lines at the end of a file are reported once, without their text. */
function blankLinesAtEnd(name: string, old: readonly string[], now: readonly string[]): string {
  const blanks = (lines: readonly string[]) => {
    let count = 0
    while (count < lines.length && (lines[lines.length - 1 - count] as string).trim() === '') count += 1
    return count
  }
  const [before, after] = [blanks(old), blanks(now)]
  return after > before ? `${name}:${now.length - after + 1}: new blank line at EOF.\n` : ''
}
