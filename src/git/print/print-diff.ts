/** Prints differences between files as git does. */
import { splitAfterLf } from '../../text/diff/diff-lines.js'
import { quotedName, unifiedHunks } from '../../text/diff/unified-diff.js'
import type { FileDiff } from '../commands/diff.js'
import type { Blob } from '../objects/tree.js'

/** Prints `git diff`; `git apply` accepts it, except for binary files. */
export function printDiff(files: readonly FileDiff[], { context = 3 }: { context?: number } = {}): string {
  return files
    .flatMap(splitTypeChange)
    .map((file) => printFile(file, context))
    .join('')
}

/** Prints `git diff --name-status`. */
export function printNameStatus(files: ReadonlyArray<Pick<FileDiff, 'path' | 'change'>>): string {
  return files.map(({ path, change }) => `${changeLetters[change]}\t${quotedName(path)}\n`).join('')
}

export const changeLetters = { added: 'A', modified: 'M', deleted: 'D', 'type-changed': 'T' } as const

/** Prints `git diff --stat` for a terminal of 80 columns. */
export function printDiffStat(files: readonly FileDiff[]): string {
  if (files.length === 0) return ''
  const names = files.map(({ path }) => quotedName(path))
  const most = Math.max(...files.map(({ added, removed }) => added + removed))
  const numberWidth = Math.max(String(most).length, files.some(({ binary }) => binary) ? 3 : 1)
  let nameWidth = Math.max(...names.map((name) => name.length))
  let graphWidth = most
  if (nameWidth + numberWidth + 6 + graphWidth > columns) {
    graphWidth = Math.min(graphWidth, Math.max(6, Math.floor((columns * 3) / 8) - numberWidth - 6))
    if (nameWidth > columns - numberWidth - 6 - graphWidth) nameWidth = columns - numberWidth - 6 - graphWidth
    else graphWidth = columns - numberWidth - 6 - nameWidth
  }
  const rows = files.map((file, i) => {
    const name = shortened(names[i] as string, nameWidth).padEnd(nameWidth)
    const { sizeBefore = 0, sizeAfter = 0, added, removed } = file
    if (file.binary) return ` ${name} | ${'Bin'.padStart(numberWidth)} ${sizeBefore} -> ${sizeAfter} bytes\n`
    return (
      ` ${name} | ${String(added + removed).padStart(numberWidth)} ${graph(added, removed, graphWidth, most)}`.trimEnd() +
      '\n'
    )
  })
  return rows.join('') + printTotals(files)
}

/** Prints ` 2 files changed, 3 insertions(+), 1 deletion(-)`. */
export function printTotals(files: ReadonlyArray<Pick<FileDiff, 'added' | 'removed'>>): string {
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  const parts = [`${files.length} file${files.length === 1 ? '' : 's'} changed`]
  if (added > 0 || removed === 0) parts.push(`${added} insertion${added === 1 ? '' : 's'}(+)`)
  if (removed > 0 || added === 0) parts.push(`${removed} deletion${removed === 1 ? '' : 's'}(-)`)
  return ` ${parts.join(', ')}\n`
}

const columns = 80

/** A change of type is printed as a deletion and an addition. */
function splitTypeChange(file: FileDiff): FileDiff[] {
  if (file.change !== 'type-changed') return [file]
  const { after: _after, textAfter: _text, sizeAfter: _size, ...old } = file
  const { before: _before, textBefore: _old, sizeBefore: _was, ...now } = file
  return [
    { ...old, change: 'deleted' },
    { ...now, change: 'added' },
  ]
}

function printFile(file: FileDiff, context: number): string {
  const { path, before, after, binary, textBefore = '', textAfter = '' } = file
  const [from, to] = [before ? name('a', path) : '/dev/null', after ? name('b', path) : '/dev/null']
  const head = `diff --git ${quotedName(`a/${path}`)} ${quotedName(`b/${path}`)}\n${modeLines(before, after)}${indexLine(before, after)}`
  if (binary) return `${head}Binary files ${from.trimEnd()} and ${to.trimEnd()} differ\n`
  const hunks = unifiedHunks(textBefore, textAfter, { context, heading: headings(textBefore) })
  return hunks === '' ? head : `${head}--- ${from}\n+++ ${to}\n${hunks}`
}

function modeLines(before: Blob | undefined, after: Blob | undefined): string {
  if (before === undefined) return `new file mode ${octal(after)}\n`
  if (after === undefined) return `deleted file mode ${octal(before)}\n`
  return before.mode === after.mode ? '' : `old mode ${octal(before)}\nnew mode ${octal(after)}\n`
}

function indexLine(before: Blob | undefined, after: Blob | undefined): string {
  if (before?.oid === after?.oid) return ''
  const mode = before?.mode === after?.mode ? ` ${octal(after)}` : ''
  return `index ${shortOid(before)}..${shortOid(after)}${mode}\n`
}

function octal(blob: Blob | undefined): string {
  return (blob?.mode ?? 0).toString(8).padStart(6, '0')
}

function shortOid(blob: Blob | undefined): string {
  return blob?.oid.slice(0, 7) ?? '0000000'
}

/** A name with a space is followed by a TAB; otherwise `patch` would parse the rest as a date. */
function name(prefix: 'a' | 'b', path: string): string {
  return quotedName(`${prefix}/${path}`) + (path.includes(' ') ? '\t' : '')
}

/** The last line before a hunk that looks like a declaration. */
export function headings(text: string): (linesBefore: number) => string {
  let lines: string[] | undefined
  return (linesBefore) => {
    lines ??= splitAfterLf(text)
    for (let at = linesBefore - 1; at >= 0; at -= 1) {
      const line = lines[at] ?? ''
      if (/^[A-Za-z_$]/.test(line)) return ` ${line.slice(0, 80).trimEnd()}`
    }
    return ''
  }
}

function shortened(name: string, width: number): string {
  if (name.length <= width) return name
  const tail = name.slice(name.length - width + 3)
  const slash = tail.indexOf('/')
  return `...${slash === -1 ? tail : tail.slice(slash)}`
}

function graph(added: number, removed: number, width: number, most: number): string {
  if (most <= width) return '+'.repeat(added) + '-'.repeat(removed)
  const scaled = (count: number) => (count === 0 ? 0 : 1 + Math.floor((count * (width - 1)) / most))
  const total = Math.max(scaled(added + removed), added > 0 && removed > 0 ? 2 : 0)
  const minus = added < removed ? total - scaled(added) : scaled(removed)
  return '+'.repeat(total - minus) + '-'.repeat(minus)
}
