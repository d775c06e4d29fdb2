/** The lines of the graph, one after another: a commit, the lines to its parents, and how lines move to their columns. */
import { collapse } from './graph-collapse.js'
import { columnsOf, type GraphColumns, type GraphCommit, isInPlace } from './graph-columns.js'

type State = 'padding' | 'pre-commit' | 'commit' | 'post-merge' | 'collapsing'

/** Red, green, yellow, blue, magenta and cyan, then the same in bold. */
const hues = 6

export interface GraphLines {
  /** The lines of this commit come next. */
  begin(commit: GraphCommit): void
  next(): string
  /** A line between two commits. */
  padding(): string
  isAtCommit(): boolean
  isDone(): boolean
}

export function graphLines(isColored = false): GraphLines {
  let commit: GraphCommit = { oid: '', parents: [] }
  let columns: GraphColumns = columnsOf(commit)
  let previous = columns
  /** Where lines were when they moved last. */
  let moved: readonly number[] = []
  let state: State = 'padding'
  let previousState: State = 'padding'
  let expansion = 0

  return {
    begin(next) {
      commit = next
      previous = columns
      columns = columnsOf(commit, previous)
      expansion = 0
      state = needsPreCommit() ? 'pre-commit' : 'commit'
    },
    next,
    padding,
    isAtCommit: () => state === 'commit',
    isDone: () => state === 'padding',
  }

  /** A piece of the line of a column above the commit, and below it. */
  function above(column: number, character: string): string {
    return colored(columns.beforeColors[column], character)
  }

  function below(column: number, character: string): string {
    return colored(columns.afterColors[column], character)
  }

  function colored(color: number | undefined, character: string): string {
    if (!isColored || color === undefined || color < 0) return character
    const number = color % (2 * hues)
    return `\x1b[${number < hues ? '' : '1;'}${31 + (number % hues)}m${character}\x1b[m`
  }

  function padded(line: string, width: number): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room.
    return line + ' '.repeat(Math.max(0, width - line.replaceAll(/\x1b\[[\d;]*m/g, '').length))
  }

  function enter(next: State): void {
    previousState = state
    state = next
  }

  /** Parents of a merge of many branches that are drawn to the right of the commit. */
  function dashedParents(): number {
    return commit.parents.length + columns.layout - 3
  }

  function needsPreCommit(): boolean {
    return (
      commit.parents.length >= 3 && columns.commitIndex < columns.before.length - 1 && expansion < dashedParents() * 2
    )
  }

  /** Makes room for a merge of many branches. */
  function preCommitLine(): string {
    let line = ''
    let hasSeen = false
    for (const [i, own] of columns.before.entries()) {
      if (own === commit.oid) {
        hasSeen = true
        line += `${above(i, '|')}${' '.repeat(expansion)}`
      } else if (hasSeen && expansion === 0)
        line += above(i, previousState === 'post-merge' && previous.commitIndex < i ? '\\' : '|')
      else line += above(i, hasSeen ? '\\' : '|')
      line += ' '
    }
    expansion += 1
    if (!needsPreCommit()) enter('commit')
    return line
  }

  function commitLine(): string {
    let line = ''
    let hasSeen = false
    for (let i = 0; i <= columns.before.length; i += 1) {
      if (i === columns.before.length && hasSeen) break
      const own = i === columns.before.length ? commit.oid : columns.before[i]
      if (own === commit.oid) {
        hasSeen = true
        line += '*'
        const dashes = commit.parents.length > 2 ? dashedParents() : 0
        for (let k = 0; k < dashes; k += 1) {
          const target = columns.mapping[(columns.commitIndex + k + 2) * 2] ?? -1
          line += below(target, '-') + below(target, k === dashes - 1 ? '.' : '-')
        }
      } else if (hasSeen && columns.edgesAdded > 1) line += above(i, '\\')
      else if (hasSeen && columns.edgesAdded === 1) {
        const bends = previousState === 'post-merge' && previous.edgesAdded > 0 && previous.commitIndex < i
        line += above(i, bends ? '\\' : '|')
      } else if (previousState === 'collapsing' && moved[2 * i + 1] === i && (columns.mapping[2 * i] ?? -1) < i)
        line += above(i, '/')
      else line += above(i, '|')
      line += ' '
    }
    if (commit.parents.length > 1) enter('post-merge')
    else enter(isInPlace(columns) ? 'padding' : 'collapsing')
    return line
  }

  function postMergeLine(): string {
    let line = ''
    let hasSeen = false
    let parentColumn = -1
    const [firstParent] = commit.parents
    for (let i = 0; i <= columns.before.length; i += 1) {
      if (i === columns.before.length && hasSeen) break
      const own = i === columns.before.length ? commit.oid : columns.before[i]
      if (own === commit.oid) {
        hasSeen = true
        let which = columns.layout
        for (let j = 0; j < commit.parents.length; j += 1) {
          line += below(columns.after.indexOf(commit.parents[j] as string), '/|\\'[which] as string)
          if (which === 2) line += columns.edgesAdded > 0 || j < commit.parents.length - 1 ? ' ' : ''
          else which += 1
        }
        if (columns.edgesAdded === 0) line += ' '
      } else if (hasSeen) line += `${above(i, columns.edgesAdded > 0 ? '\\' : '|')} `
      else {
        line += above(i, '|')
        if (columns.layout !== 0 || i !== columns.commitIndex - 1)
          line += parentColumn === -1 ? ' ' : above(parentColumn, '_')
      }
      if (own === firstParent) parentColumn = i
    }
    enter(isInPlace(columns) ? 'padding' : 'collapsing')
    return line
  }

  function collapsingLine(): string {
    const { line, moved: places } = collapse(columns, below)
    moved = places
    if (isInPlace(columns)) enter('padding')
    return line
  }

  function next(): string {
    const line = (() => {
      switch (state) {
        case 'padding':
          return columns.after.map((_, i) => `${below(i, '|')} `).join('')
        case 'pre-commit':
          return preCommitLine()
        case 'commit':
          return commitLine()
        case 'post-merge':
          return postMergeLine()
        default:
          return collapsingLine()
      }
    })()
    return padded(line, columns.width)
  }

  function padding(): string {
    if (state !== 'commit') return next()
    const wide = ' '.repeat(Math.max(1, commit.parents.length > 2 ? (commit.parents.length - 2) * 2 : 1))
    const line = columns.before.map((own, i) => `${above(i, '|')}${own === commit.oid ? wide : ' '}`).join('')
    previousState = 'padding'
    return padded(line, columns.width)
  }
}
