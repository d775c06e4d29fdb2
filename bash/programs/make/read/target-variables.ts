/** `TARGET: NAME = VALUE`, also for patterns of targets. */
import { patternOf } from '../characters.js'
import { expand } from '../expand/expand.js'
import type { Place } from '../make-error.js'
import type { MakeState, PatternVariable } from '../state.js'
import { scopeOf } from '../update/target-scope.js'
import { type Assignment, type Modifiers, origins, type Variable } from '../variables.js'
import { assign, assignmentOf, nameOfAssigned } from './assignments.js'

export async function assignForTargets(
  make: MakeState,
  targets: readonly string[],
  text: string,
  modifiers: Modifiers,
  place: Place,
): Promise<void> {
  const given = assignmentOf(text)
  if (given === undefined) throw make.fail('Malformed target-specific variable definition')
  for (const target of targets) {
    const pattern = patternOf(target)
    const assignment = { ...given, name: await nameOfAssigned(make, given.name, place) }
    if (pattern.percent >= 0) await assignForPattern(make, pattern, assignment, modifiers, place)
    else await assignForOne(make, pattern.text, assignment, modifiers, place)
  }
}

async function assignForPattern(
  make: MakeState,
  { text, percent }: { text: string; percent: number },
  { name, value, flavor }: Assignment,
  modifiers: Modifiers,
  place: Place,
): Promise<void> {
  const one: PatternVariable = {
    pattern: text,
    percent,
    name,
    value: flavor === 'simple' ? await expand(make, value) : value,
    flavor,
    origin: modifiers.overrides ? 'override' : 'file',
    place: { ...place },
    exports: modifiers.exports,
    isPrivate: modifiers.isPrivate,
  }
  // Longer patterns come later, and count more.
  const all = make.patternVariables
  const at = all.findIndex((other) => other.pattern.length > text.length)
  all.splice(at < 0 ? all.length : at, 0, one)
}

async function assignForOne(
  make: MakeState,
  target: string,
  assignment: Assignment,
  modifiers: Modifiers,
  place: Place,
): Promise<void> {
  const found = make.files.findOrEnter(target)
  const file = found.doubleColon ?? found
  const { scope } = make
  make.scope = await scopeOf(make, file, true)
  let variable: Variable
  try {
    const origin = modifiers.overrides ? 'override' : 'file'
    variable = await assign(make, assignment, { origin, place, scope: make.scope })
  } finally {
    make.scope = scope
  }
  variable.isPerTarget = true
  variable.isPrivate = modifiers.isPrivate
  variable.export = modifiers.exports ? 'yes' : 'default'
  const global = make.lookup(variable.name)
  if (origins[variable.origin] >= origins.override || global === undefined || global === variable) return
  if (global.origin !== 'environment override' && global.origin !== 'command line') return
  variable.value = global.value
  variable.origin = global.origin
  variable.isRecursive = global.isRecursive
  variable.appends = false
}
