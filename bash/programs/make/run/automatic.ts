/** `$@`, `$<`, `$^` and the like. */
import { type Dependency, type MakeFile, nameOf } from '../files.js'
import type { MakeState } from '../state.js'

export function setAutomatic(make: MakeState, file: MakeFile): void {
  const scope = file.variables
  if (scope === undefined) return
  file.stem ??= withoutSuffix(make, file.name)
  const known = file.deps.filter((dep) => !dep.needsExpansion)
  const first = file.deps.find((dep) => !dep.ignoresTime)
  const isDefault = file.recipe !== undefined && file.recipe === make.files.find('.DEFAULT')?.recipe
  const plus = known.filter((dep) => !dep.ignoresTime).map(nameOf)
  const unique = uniqueOf(known)
  const caret = unique.filter((dep) => !dep.ignoresTime)
  const values: Readonly<Record<string, string>> = {
    '@': file.name,
    '%': '',
    '*': file.stem,
    '<': isDefault ? file.name : first === undefined || first.needsExpansion ? '' : nameOf(first),
    '+': plus.join(' '),
    '^': caret.map(nameOf).join(' '),
    '?': caret
      .filter(({ changed }) => changed || make.options.makesAll)
      .map(nameOf)
      .join(' '),
    '|': unique
      .filter((dep) => dep.ignoresTime)
      .map(nameOf)
      .join(' '),
  }
  for (const [name, value] of Object.entries(values)) make.define(name, value, 'automatic', { set: scope.set })
}

function withoutSuffix(make: MakeState, name: string): string {
  for (const { name: suffix } of make.files.find('.SUFFIXES')?.deps ?? []) {
    if (name.length > suffix.length && name.endsWith(suffix)) return name.slice(0, -suffix.length)
  }
  return ''
}

/** The first of each name. One that is needed both ways counts as an ordinary one. */
function uniqueOf(deps: readonly Dependency[]): Dependency[] {
  const byName = new Map<string, Dependency>()
  for (const dep of deps) {
    const known = byName.get(nameOf(dep))
    if (known === undefined) byName.set(nameOf(dep), dep)
    else if (known.ignoresTime !== dep.ignoresTime) {
      known.ignoresTime = false
      dep.ignoresTime = false
    }
  }
  return [...byName.values()]
}
