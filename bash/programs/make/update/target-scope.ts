/** The variables that a target sees: its own, those of patterns, those of what it is made for, and all others. */
import { stemOf } from '../characters.js'
import type { MakeFile } from '../files.js'
import { assign } from '../read/assignments.js'
import type { MakeState } from '../state.js'
import type { Scope } from '../variables.js'

export async function scopeOf(make: MakeState, file: MakeFile, isReading: boolean): Promise<Scope> {
  const scope = file.variables ?? { set: new Map(), next: undefined, nextIsParent: false }
  file.variables = scope
  if (file.doubleColon !== undefined && file.doubleColon !== file) {
    scope.next = await scopeOf(make, file.doubleColon, isReading)
    scope.nextIsParent = false
    return scope
  }
  scope.next = file.parent === undefined ? make.globalScope : await scopeOf(make, file.parent, isReading)
  scope.nextIsParent = true
  if (!isReading && !file.searchedPatterns) await collectPatterns(make, file)
  if (file.patternVariables !== undefined) {
    file.patternVariables.next = scope.next
    file.patternVariables.nextIsParent = scope.nextIsParent
    scope.next = file.patternVariables
    scope.nextIsParent = false
  }
  return scope
}

async function collectPatterns(make: MakeState, file: MakeFile): Promise<void> {
  file.searchedPatterns = true
  const own: Scope = { set: new Map(), next: make.globalScope, nextIsParent: false }
  const { scope } = make
  for (const one of make.patternVariables) {
    const stem = stemOf({ text: one.pattern, percent: one.percent }, file.name)
    if (stem === undefined || stem === '') continue
    file.patternVariables ??= own
    make.scope = own
    const { origin, place } = one
    const variable =
      one.flavor === 'simple'
        ? make.define(one.name, one.value, origin, { set: own.set, place })
        : await assign(make, one, { origin, place, scope: own })
    make.scope = scope
    variable.isPerTarget = true
    variable.isPrivate = one.isPrivate
    variable.export = one.exports ? 'yes' : 'default'
    const global = make.global.get(one.name)
    if (origin === 'override' || global === undefined || global === variable) continue
    if (global.origin !== 'command line' && global.origin !== 'environment override') continue
    variable.value = global.value
    variable.origin = global.origin
  }
}
