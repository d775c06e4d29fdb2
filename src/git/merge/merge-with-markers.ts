/** Merges two changed versions of a text line by line, with conflict markers where both changed the same lines. */
import { splitAfterLf } from '../../text/diff/diff-lines.js'
import { type MergePart, mergeLines } from '../../text/merge/merge-lines.js'

export interface MergeLabels {
  ours: string
  base: string
  theirs: string
}

export interface MergeStyle {
  labels: MergeLabels
  /** `diff3` also shows the common ancestor. */
  style: 'merge' | 'diff3' | 'zdiff3'
  favor?: 'ours' | 'theirs' | 'union'
}

export interface MergedText {
  text: string
  conflicts: number
}

export function mergeTexts(
  base: string,
  ours: string,
  theirs: string,
  { labels, style, favor }: MergeStyle,
): MergedText {
  const [b, o, t] = [splitAfterLf(base), splitAfterLf(ours), splitAfterLf(theirs)]
  const isPlain = style === 'merge'
  const found = mergeLines(b, o, t, { refine: isPlain })
  const parts = isPlain ? joined(found) : found
  let text = ''
  let conflicts = 0
  let at = 0
  for (const part of parts) {
    text += o.slice(at, part.ours).join('')
    const [mine, other] = [
      o.slice(part.ours, part.ours + part.oursCount),
      t.slice(part.theirs, part.theirs + part.theirsCount),
    ]
    at = part.ours + part.oursCount
    if (part.kind === 'ours') text += mine.join('')
    else if (part.kind === 'theirs') text += other.join('')
    else if (favor === 'ours') text += mine.join('')
    else if (favor === 'theirs') text += other.join('')
    else if (favor === 'union') text += ended(mine.join('')) + other.join('')
    else {
      conflicts += 1
      const original =
        style === 'merge'
          ? ''
          : `||||||| ${labels.base}\n${ended(b.slice(part.base, part.base + part.baseCount).join(''))}`
      text += `<<<<<<< ${labels.ours}\n${ended(mine.join(''))}${original}=======\n${ended(other.join(''))}>>>>>>> ${labels.theirs}\n`
    }
  }
  return { text: text + o.slice(at).join(''), conflicts }
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Conflicts with at most three lines between them are shown as one. */
function joined(parts: readonly MergePart[]): MergePart[] {
  const result: MergePart[] = []
  for (const part of parts) {
    const last = result.at(-1)
    const isNear = last !== undefined && part.ours - (last.ours + last.oursCount) <= 3
    if (last === undefined || last.kind !== 'conflict' || part.kind !== 'conflict' || !isNear) {
      result.push({ ...part })
      continue
    }
    last.oursCount = part.ours + part.oursCount - last.ours
    last.theirsCount = part.theirs + part.theirsCount - last.theirs
  }
  return result
}
