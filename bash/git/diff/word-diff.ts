/** Shows the lines of a patch with the words that differ. */
import { changedLines } from '../../../src/text/diff/changed-lines.js'
import { type Colors, reset } from '../color.js'
import type { Pattern } from '../patterns.js'
import { paintPatch } from './paint-patch.js'

export interface WordOptions {
  mode: 'plain' | 'color' | 'porcelain'
  /** What is a word; without it whatever stands between white space. */
  word?: Pattern
}

interface Style {
  before: string
  after: string
  color: string
}

type Styles = Readonly<Record<'old' | 'new' | 'same', Style>> & { lineEnd: string }

/** The patch of one file, without colours, in words. */
export function wordPatch(patch: string, options: WordOptions, colors: Colors | undefined): string {
  const styles = stylesOf(options.mode, colors)
  const isPorcelain = options.mode === 'porcelain'
  const lines = patch.split(/(?<=\n)/)
  const first = lines.findIndex((line) => line.startsWith('@@ '))
  if (first === -1) return colors ? paintPatch(patch, colors) : patch
  const header = lines.slice(0, first).join('')
  let text = colors ? paintPatch(header, colors) : header
  let [removed, added] = ['', '']

  function flush(): void {
    if (removed !== '' || added !== '') text += wordsOf(removed, added, options.word, styles)
    ;[removed, added] = ['', '']
  }

  for (const line of lines.slice(first)) {
    if (line.startsWith('-')) removed += line.slice(1)
    else if (line.startsWith('+')) added += line.slice(1)
    else if (!line.startsWith('\\')) {
      flush()
      if (line.startsWith('@@ ')) text += colors ? paintPatch(line, colors) : line
      else if (isPorcelain) text += `${painted(line.replace(/\n$/, ''), colors)}\n~\n`
      else text += `${painted(line.slice(1).replace(/\n$/, ''), colors)}\n`
    }
  }
  flush()
  return text
}

/** A line that both sides have, with the end of colours that git writes after each. */
function painted(line: string, colors: Colors | undefined): string {
  return colors && line !== '' ? `${colors.code('diff.context')}${line}${reset}` : line
}

function stylesOf(mode: WordOptions['mode'], colors: Colors | undefined): Styles {
  const style = (before: string, after: string, color: string): Style => ({ before, after, color })
  const [old, now] = [colors?.code('diff.old') ?? '', colors?.code('diff.new') ?? '']
  if (mode === 'porcelain') {
    return { old: style('-', '\n', old), new: style('+', '\n', now), same: style(' ', '\n', ''), lineEnd: '~\n' }
  }
  const isMarked = mode === 'plain'
  return {
    old: isMarked ? style('[-', '-]', old) : style('', '', old),
    new: isMarked ? style('{+', '+}', now) : style('', '', now),
    same: style('', '', ''),
    lineEnd: '\n',
  }
}

function wordsOf(removed: string, added: string, word: Pattern | undefined, styles: Styles): string {
  if (added === '') return styled(removed, styles.old, styles)
  const [old, now] = [wordPlaces(removed, word), wordPlaces(added, word)]
  const textOf = (whole: string, places: readonly Place[]) => places.map(({ start, end }) => whole.slice(start, end))
  const changes = changedLines(textOf(removed, old), textOf(added, now), { indentHeuristic: false })
  let text = ''
  let at = 0
  for (const change of changes) {
    const [from, to] = [spanOf(old, change.oldStart, change.oldEnd), spanOf(now, change.newStart, change.newEnd)]
    text += styled(added.slice(at, to.start), styles.same, styles)
    text += styled(removed.slice(from.start, from.end), styles.old, styles)
    text += styled(added.slice(to.start, to.end), styles.new, styles)
    at = to.end
  }
  return text + styled(added.slice(at), styles.same, styles)
}

interface Place {
  start: number
  end: number
}

/** Where words are. One that a pattern finds ends where its line ends. */
function wordPlaces(text: string, word: Pattern | undefined): Place[] {
  const places: Place[] = []
  if (word === undefined) {
    for (const { index, 0: found } of text.matchAll(/[^ \t\n\v\f\r]+/g)) {
      places.push({ start: index, end: index + found.length })
    }
    return places
  }
  for (let at = 0; at < text.length; ) {
    const found = word.exec(text, at)
    if (found === null || found === undefined) break
    const start = found.start
    const line = text.indexOf('\n', start)
    const end = line !== -1 && line < found.end ? line : found.end
    if (end > start) places.push({ start, end })
    at = end > start ? end : Math.max(end, start) + 1
  }
  return places
}

/** Nothing lies at the end of the word before. */
function spanOf(places: readonly Place[], first: number, end: number): Place {
  if (end > first) return { start: places[first]?.start ?? 0, end: places[end - 1]?.end ?? 0 }
  const at = first === 0 ? 0 : (places[first - 1]?.end ?? 0)
  return { start: at, end: at }
}

function styled(text: string, { before, after, color }: Style, { lineEnd }: Styles): string {
  let shown = ''
  for (const piece of text.split(/(\n)/)) {
    if (piece === '\n') shown += lineEnd
    else if (piece !== '') shown += `${color}${before}${piece}${after}${color === '' ? '' : reset}`
  }
  return shown
}
