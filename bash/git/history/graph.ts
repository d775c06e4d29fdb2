/**
 * The lines of `git log --graph`. Each commit has a column; `mapping` says where the lines of the columns are while they
 * move to their place: two positions per column.
 */
export interface GraphCommit {
  oid: string
  parents: readonly string[]
}

export interface Graph {
  /**
   * The text of a commit and its differences behind the lines. With `isSeparated`, a line without text comes first; with
   * `isTerminated`, a line end follows the text.
   */
  print(commit: GraphCommit, text: string, diff: string, how: { isSeparated: boolean; isTerminated: boolean }): string
}

type State = 'padding' | 'pre-commit' | 'commit' | 'post-merge' | 'collapsing'

/** `isShown` says which parents are part of the graph. */
export function createGraph(isShown: (oid: string) => boolean = () => true): Graph {
  let columns: string[] = []
  let newColumns: string[] = []
  let mapping: number[] = []
  let oldMapping: number[] = []
  let mappingSize = 0
  let [width, commitIndex, previousIndex, layout, edgesAdded, previousEdges] = [0, 0, 0, 0, 0, 0]
  let state: State = 'padding'
  let previousState: State = 'padding'
  let commit: GraphCommit = { oid: '', parents: [] }
  let isMissingLineEnd = false
  let expansion = 0

  function enter(next: State): void {
    previousState = state
    state = next
  }

  function insert(oid: string, index: number): void {
    let column = newColumns.indexOf(oid)
    if (column === -1) {
      column = newColumns.length
      newColumns.push(oid)
    }
    let place: number
    if (commit.parents.length > 1 && index > -1 && layout === -1) {
      const distance = index - column
      const shift = distance > 1 ? 2 * distance - 3 : 1
      layout = distance > 0 ? 0 : 1
      edgesAdded = commit.parents.length + layout - 2
      place = width + (layout - 1) * shift
      width += 2 * layout
    } else if (edgesAdded > 0 && column === mapping[width - 2]) {
      place = width - 2
      edgesAdded = -1
    } else {
      place = width
      width += 2
    }
    mapping[place] = column
  }

  function update(next: GraphCommit): void {
    commit = { oid: next.oid, parents: next.parents.filter(isShown) }
    previousIndex = commitIndex
    columns = newColumns
    newColumns = []
    mappingSize = 2 * (columns.length + commit.parents.length)
    mapping = new Array<number>(Math.max(1, mappingSize)).fill(-1)
    width = 0
    previousEdges = edgesAdded
    edgesAdded = 0
    let hasSeen = false
    for (let i = 0; i <= columns.length; i += 1) {
      if (i === columns.length && hasSeen) break
      const own = i === columns.length ? commit.oid : (columns[i] as string)
      if (own !== commit.oid) {
        insert(own, -1)
        continue
      }
      hasSeen = true
      commitIndex = i
      layout = -1
      for (const parent of commit.parents) insert(parent, i)
      if (commit.parents.length === 0) width += 2
    }
    while (mappingSize > 1 && (mapping[mappingSize - 1] ?? -1) < 0) mappingSize -= 1
    expansion = 0
    state = needsPreCommit() ? 'pre-commit' : 'commit'
  }

  /** Parents of a merge of many branches that are drawn to the right of the commit. */
  function dashedParents(): number {
    return commit.parents.length + layout - 3
  }

  function needsPreCommit(): boolean {
    return commit.parents.length >= 3 && commitIndex < columns.length - 1 && expansion < dashedParents() * 2
  }

  /** Makes room for a merge of many branches. */
  function preCommitLine(): string {
    let line = ''
    let hasSeen = false
    for (const [i, own] of columns.entries()) {
      if (own === commit.oid) {
        hasSeen = true
        line += `|${' '.repeat(expansion)}`
      } else if (hasSeen && expansion === 0) line += previousState === 'post-merge' && previousIndex < i ? '\\' : '|'
      else line += hasSeen ? '\\' : '|'
      line += ' '
    }
    expansion += 1
    if (!needsPreCommit()) enter('commit')
    return line
  }

  function isInPlace(): boolean {
    for (let i = 0; i < mappingSize; i += 1) {
      const target = mapping[i] ?? -1
      if (target >= 0 && target !== i >> 1) return false
    }
    return true
  }

  function commitLine(): string {
    let line = ''
    let hasSeen = false
    for (let i = 0; i <= columns.length; i += 1) {
      if (i === columns.length && hasSeen) break
      const own = i === columns.length ? commit.oid : columns[i]
      if (own === commit.oid) {
        hasSeen = true
        line += '*'
        const dashes = commit.parents.length > 2 ? dashedParents() : 0
        for (let k = 0; k < dashes; k += 1) line += k === dashes - 1 ? '-.' : '--'
      } else if (hasSeen && edgesAdded > 1) line += '\\'
      else if (hasSeen && edgesAdded === 1) {
        line += previousState === 'post-merge' && previousEdges > 0 && previousIndex < i ? '\\' : '|'
      } else if (previousState === 'collapsing' && oldMapping[2 * i + 1] === i && (mapping[2 * i] ?? -1) < i)
        line += '/'
      else line += '|'
      line += ' '
    }
    if (commit.parents.length > 1) enter('post-merge')
    else enter(isInPlace() ? 'padding' : 'collapsing')
    return line
  }

  function postMergeLine(): string {
    let line = ''
    let hasSeen = false
    let hasParentColumn = false
    const [firstParent] = commit.parents
    for (let i = 0; i <= columns.length; i += 1) {
      if (i === columns.length && hasSeen) break
      const own = i === columns.length ? commit.oid : columns[i]
      if (own === commit.oid) {
        hasSeen = true
        let which = layout
        for (let j = 0; j < commit.parents.length; j += 1) {
          line += '/|\\'[which]
          if (which === 2) line += edgesAdded > 0 || j < commit.parents.length - 1 ? ' ' : ''
          else which += 1
        }
        if (edgesAdded === 0) line += ' '
      } else if (hasSeen) line += edgesAdded > 0 ? '\\ ' : '| '
      else {
        line += '|'
        if (layout !== 0 || i !== commitIndex - 1) line += hasParentColumn ? '_' : ' '
      }
      if (own === firstParent) hasParentColumn = true
    }
    enter(isInPlace() ? 'padding' : 'collapsing')
    return line
  }

  function collapsingLine(): string {
    const before = mapping
    mapping = new Array<number>(before.length).fill(-1)
    let [edge, edgeTarget] = [-1, -1]
    const runTo = (target: number, i: number) => {
      for (let j = target * 2 + 3; j < i - 2; j += 2) mapping[j] = target
    }
    for (let i = 0; i < mappingSize; i += 1) {
      const target = before[i] ?? -1
      if (target < 0) continue
      if (target * 2 === i) mapping[i] = target
      else if ((mapping[i - 1] ?? -1) < 0) {
        mapping[i - 1] = target
        if (edge === -1) {
          edge = i
          edgeTarget = target
          runTo(target, i)
        }
      } else if (mapping[i - 1] !== target) {
        mapping[i - 2] = target
        if (edge === -1) {
          edgeTarget = target
          edge = i - 1
          runTo(target, i)
        }
      }
    }
    oldMapping = [...mapping]
    if ((mapping[mappingSize - 1] ?? -1) < 0) mappingSize -= 1
    let line = ''
    let isHorizontal = false
    for (let i = 0; i < mappingSize; i += 1) {
      const target = mapping[i] ?? -1
      if (target < 0) line += ' '
      else if (target * 2 === i) line += '|'
      else if (target === edgeTarget && i !== edge - 1) {
        if (i !== target * 2 + 3) mapping[i] = -1
        isHorizontal = true
        line += '_'
      } else {
        if (isHorizontal && i < edge) mapping[i] = -1
        line += '/'
      }
    }
    if (isInPlace()) enter('padding')
    return line
  }

  function nextLine(): string {
    const line = (() => {
      switch (state) {
        case 'padding':
          return newColumns.map(() => '| ').join('')
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
    return line.padEnd(width)
  }

  function isAtCommit(): boolean {
    return state === 'commit'
  }

  function isDone(): boolean {
    return state === 'padding'
  }

  function paddingLine(): string {
    if (state !== 'commit') return nextLine()
    const wide = ' '.repeat(Math.max(1, commit.parents.length > 2 ? (commit.parents.length - 2) * 2 : 1))
    const line = columns
      .map((own) => (own === commit.oid ? `|${wide}` : '| '))
      .join('')
      .padEnd(width)
    previousState = 'padding'
    return line
  }

  return {
    print(next, text, diff, { isSeparated, isTerminated }) {
      update(next)
      let out = isSeparated ? `${isMissingLineEnd ? '' : paddingLine()}\n` : ''
      while (!isAtCommit()) out += `${nextLine()}\n`
      out += nextLine()
      const isEnded = text.endsWith('\n')
      isMissingLineEnd = !isEnded
      const lines = (isEnded ? text.slice(0, -1) : text).split('\n')
      out += lines.map((line, i) => (i === 0 ? line : `${nextLine()}${line}`)).join('\n')
      while (!isDone()) out += `\n${nextLine()}`
      if (isEnded) out += '\n'
      if (isTerminated) out += `${isEnded ? nextLine() : ''}\n`
      if (diff === '') return out
      const shown = diff.endsWith('\n') ? diff.slice(0, -1) : diff
      return `${out}${shown
        .split('\n')
        .map((line) => `${nextLine()}${line}\n`)
        .join('')}`
    },
  }
}
