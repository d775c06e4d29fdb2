/** The text of `git log --graph`: commits behind the lines of the graph. */
import type { Colors } from '../color.js'
import type { GraphCommit } from './graph-columns.js'
import { graphLines } from './graph-lines.js'

export interface Graph {
  /**
   * The text of a commit and its differences behind the lines. With `isSeparated`, a line without text comes first; with
   * `isTerminated`, a line end follows the text.
   */
  print(commit: GraphCommit, text: string, diff: string, how: { isSeparated: boolean; isTerminated: boolean }): string
}

/** `isShown` says which parents are part of the graph. */
export function createGraph(isShown: (oid: string) => boolean = () => true, colors?: Colors): Graph {
  const lines = graphLines(colors?.isOn)
  let isMissingLineEnd = false

  return {
    print(commit, text, diff, { isSeparated, isTerminated }) {
      lines.begin({ oid: commit.oid, parents: commit.parents.filter(isShown) })
      let out = isSeparated ? `${isMissingLineEnd ? '' : lines.padding()}\n` : ''
      while (!lines.isAtCommit()) out += `${lines.next()}\n`
      out += lines.next()
      const isEnded = text.endsWith('\n')
      isMissingLineEnd = !isEnded
      const ownLines = (isEnded ? text.slice(0, -1) : text).split('\n')
      out += ownLines.map((line, i) => (i === 0 ? line : `${lines.next()}${line}`)).join('\n')
      while (!lines.isDone()) out += `\n${lines.next()}`
      if (isEnded) out += '\n'
      if (isTerminated) out += `${isEnded ? lines.next() : ''}\n`
      if (diff === '') return out
      const shown = diff.endsWith('\n') ? diff.slice(0, -1) : diff
      return `${out}${shown
        .split('\n')
        .map((line) => `${lines.next()}${line}\n`)
        .join('')}`
    },
  }
}
