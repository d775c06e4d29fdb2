/** Puts the colours of git into a patch. */
import { type Colors, reset } from '../color.js'

/** Where new blank lines at the end of a file begin, by the numbers of lines before and after. */
export interface BlankEnd {
  old: number
  new: number
}

/** The patch of one file with colours; `blankEnd` where there are new blank lines at its end. */
export function paintPatch(text: string, colors: Colors, blankEnd?: BlankEnd): string {
  const lines = text.split('\n')
  const isEnded = lines.at(-1) === ''
  if (isEnded) lines.pop()
  let [inHunk, parents] = [false, 1]
  let [old, now] = [0, 0]
  const painted = lines.map((line) => {
    const hunk = /^(@@+) (?:-(\d+)(?:,\d+)? )+\+(\d+)(?:,\d+)? @@+/.exec(line)
    if (hunk !== null && (!inHunk || line.startsWith('@'))) {
      inHunk = true
      parents = (hunk[1] as string).length - 1
      ;[old, now] = [Number(hunk[2]) - 1, Number(hunk[3]) - 1]
      return paintHeading(line, hunk[0], colors)
    }
    if (!inHunk) return paintHeader(line, colors)
    if (line.startsWith('\\')) return `${colors.code('diff.context')}${line}${reset}`
    const signs = line.slice(0, parents)
    if (signs.includes('-')) {
      old += 1
      return `${colors.code('diff.old')}${line}${reset}`
    }
    now += 1
    if (!signs.includes('+')) {
      old += 1
      return `${colors.code('diff.context')}${line}${reset}`
    }
    if (parents > 1) return `${colors.code('diff.new')}${line}${reset}`
    const isBlankEnd = blankEnd !== undefined && old >= blankEnd.old - 1 && now >= blankEnd.new
    return paintAdded(line.slice(1), isBlankEnd && line.slice(1).trim() === '', colors)
  })
  return painted.join('\n') + (isEnded ? '\n' : '')
}

function paintHeader(line: string, colors: Colors): string {
  if (/^Binary files .* differ$/.test(line) || line.startsWith('* Unmerged path ')) return line
  const tab = /^(---|\+\+\+) .*\t$/.test(line)
  return `${colors.paint('diff.meta', tab ? line.slice(0, -1) : line)}${tab ? '\t' : ''}`
}

function paintHeading(line: string, ranges: string, colors: Colors): string {
  const rest = line.slice(ranges.length)
  const head = colors.paint('diff.frag', ranges)
  if (rest === '') return head
  const blank = /^[ \t]*/.exec(rest)?.[0] ?? ''
  const named = rest.slice(blank.length)
  return `${head}${colors.code('diff.context')}${blank}${reset}${named === '' ? '' : `${colors.code('diff.func')}${named}${reset}`}`
}

/** White space that should not be there is shown. */
function paintAdded(line: string, isBlankEnd: boolean, colors: Colors): string {
  const [added, fault] = [colors.code('diff.new'), colors.code('diff.whitespace')]
  if (isBlankEnd) return `${fault}+${line}${reset}`
  let text = `${added}+${reset}`
  const trailing = line.length - (/[ \t\n\r\f\v]*$/.exec(line)?.[0].length ?? 0)
  let written = 0
  for (let i = 0; i < trailing; i += 1) {
    if (line[i] === ' ') continue
    if (line[i] !== '\t') break
    text += written < i ? `${fault}${line.slice(written, i)}${reset}\t` : '\t'
    written = i + 1
  }
  if (trailing > written) text += `${added}${line.slice(written, trailing)}${reset}`
  if (trailing < line.length) text += `${fault}${line.slice(Math.max(trailing, written))}${reset}`
  return text
}

/** Where the blank lines at the end begin that a change has added, if it has. */
export function blankEndOf(old: readonly string[], now: readonly string[]): BlankEnd | undefined {
  const [before, after] = [trailingBlanks(old), trailingBlanks(now)]
  return after > before ? { old: old.length - before + 1, new: now.length - after + 1 } : undefined
}

function trailingBlanks(lines: readonly string[]): number {
  let count = 0
  while (count < lines.length && (lines[lines.length - 1 - count] as string).trim() === '') count += 1
  return count
}
