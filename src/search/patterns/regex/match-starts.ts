import type { CodePoints } from './code-points.js'
import { setTests } from './set-tests.js'

export interface MatchStartsOptions {
  /** Characters a match can start with; absent when it can be empty. */
  first?: CodePoints
  /** Text that every match starts with. */
  start?: string
}

/** Returns what finds the next offset where a match can start; -1 for none. */
export function matchStarts({ first, start }: MatchStartsOptions): (text: string, from: number) => number {
  if (start !== undefined) return (text, from) => text.indexOf(start, from)
  const { has } = setTests(first === undefined ? [] : [first])
  return (text, from) => {
    for (let at = from; at <= text.length; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit >= 0xdc00 && unit <= 0xdfff) continue
      if (first === undefined || (at < text.length && has(0, text.codePointAt(at)!))) return at
    }
    return -1
  }
}
