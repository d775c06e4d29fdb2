/** Which warnings are on. */

/** Those that `no warnings` named; undefined where none is printed at all. */
export type Warnings = ReadonlySet<string> | undefined

/** Printed before the program runs. */
export interface Warned {
  text: string
  line: number
}

/** Categories that programs name. Others change nothing that is printed here. */
const categories: Readonly<Record<string, readonly string[]>> = {
  syntax: ['ambiguous', 'parenthesis', 'precedence', 'printf', 'qw', 'syntax'],
  printf: ['printf', 'missing', 'redundant'],
  misc: ['misc'],
  io: ['closed', 'unopened', 'newline'],
}

export function isOn(warnings: Warnings, category: string): boolean {
  return warnings !== undefined && !warnings.has(category)
}

export function changed(warnings: Warnings, isNo: boolean, names: readonly string[]): Warnings {
  if (names.length === 0 || names.includes('all')) return isNo ? undefined : new Set()
  const all = names.flatMap((name) => categories[name] ?? [name])
  if (isNo) return warnings && new Set([...warnings, ...all])
  return new Set([...(warnings ?? [])].filter((name) => !all.includes(name)))
}
