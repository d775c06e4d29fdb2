/** Variables as `declare -p` prints them. */
import type { Variable } from '../run/state/variables.js'
import { quoteDouble, quoteKey } from './quote.js'

/** For example `ax`. */
export function attributeLetters(variable: Variable): string {
  const letters: Array<[string, unknown]> = [
    ['a', variable.list],
    ['A', variable.map],
    ['i', variable.integer],
    ['n', variable.reference],
    ['r', variable.readonly],
    ['x', variable.exported],
    ['l', variable.lower],
    ['u', variable.upper],
  ]
  return letters.flatMap(([letter, on]) => (on ? [letter] : [])).join('')
}

/** For example `declare -ax list=([0]="a" [1]="b")`. */
export function declarationOf(name: string, variable: Variable): string {
  const letters = attributeLetters(variable)
  const value = literalOf(variable)
  return `declare -${letters === '' ? '-' : letters} ${name}${value === undefined ? '' : `=${value}`}`
}

export function literalOf({ text, list, map }: Variable): string | undefined {
  if (map?.isAssigned === false || list?.isAssigned === false) return undefined
  if (map !== undefined) {
    return `(${map
      .entries()
      .map(([key, value]) => `[${quoteKey(key)}]=${quoteDouble(value)} `)
      .join('')})`
  }
  if (list !== undefined) {
    return `(${list
      .indexes()
      .map((index) => `[${index}]=${quoteDouble(list.get(index) ?? '')}`)
      .join(' ')})`
  }
  return text === undefined ? undefined : quoteDouble(text)
}
