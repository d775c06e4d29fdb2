/** The groups of a Perl expression: those that it numbers and names, and those that only the matcher uses. */
import type { Node } from '../../src/search/patterns/regex/ast.js'
import type { FirstMatchPattern } from './first-match.js'
import { RegexError } from './regex-error.js'

type Reference = Extract<Node, { kind: 'back-reference' }>

export interface PerlGroups {
  /** One without a number. */
  add(): number
  /** The next number is its, and the name. */
  addNumbered(name: string | undefined): number
  /** One at whose end the match begins. */
  addKeep(): number
  /** The group may come later. Negative numbers count back from here. */
  reference(number: number, ignoreCase: boolean): Reference
  referenceByName(name: string, ignoreCase: boolean): Reference
  /** Call it at the end, when every group is known. */
  finish(): Omit<FirstMatchPattern, 'root'> & { names: ReadonlyMap<string, number> }
}

export function perlGroups(): PerlGroups {
  let allGroups = 0
  const names = new Map<string, number>()
  const groups: number[] = []
  const keeps: number[] = []
  const references: Array<{ node: Reference; number: number }> = []

  function add(): number {
    allGroups += 1
    return allGroups
  }

  function reference(number: number, ignoreCase: boolean): Reference {
    const node: Reference = { kind: 'back-reference', group: 0, ignoreCase }
    references.push({ node, number: number < 0 ? groups.length + 1 + number : number })
    return node
  }

  return {
    add,
    addNumbered(name) {
      const group = add()
      groups.push(group)
      if (name !== undefined) names.set(name, groups.length)
      return group
    },
    addKeep() {
      const group = add()
      keeps.push(group)
      return group
    },
    reference,
    referenceByName(name, ignoreCase) {
      const number = names.get(name)
      if (number === undefined) throw new RegexError(noGroup)
      return reference(number, ignoreCase)
    },
    finish() {
      for (const { node, number } of references) {
        const group = groups[number - 1]
        if (group === undefined) throw new RegexError(noGroup)
        node.group = group
      }
      return { allGroups, groups, keeps, names }
    },
  }
}

const noGroup = 'reference to non-existent subpattern'
