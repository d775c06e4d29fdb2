/** Rules with `%`, and those with suffixes, which are turned into such. */
import { newDependency, type Recipe } from '../files.js'
import type { PatternRule } from '../rules.js'
import type { MakeState } from '../state.js'

/** `replaces`: it takes the place of one with the same targets and prerequisites; else that one stays. */
export function addPatternRule(make: MakeState, rule: PatternRule, replaces: boolean): void {
  const same = make.rules.findIndex((other) => isSame(rule, other))
  if (same >= 0 && !replaces) return
  if (same >= 0) make.rules.splice(same, 1)
  make.rules.push(rule)
}

function isSame(one: PatternRule, other: PatternRule): boolean {
  const names = ({ deps }: PatternRule) => deps.map(({ name }) => name).join('\n')
  return (
    one.targets.some(({ text }) => other.targets.every((target) => target.text === text)) && names(one) === names(other)
  )
}

export async function convertSuffixRules(make: MakeState): Promise<void> {
  const suffixes = make.files.find('.SUFFIXES')?.deps ?? []
  for (const dep of suffixes) {
    const { name } = dep
    // Solely to say that names with this suffix are not just anything.
    convert(make, name, undefined, undefined)
    const own = make.files.find(name)?.recipe
    if (own !== undefined) convert(make, '', name, own)
    for (const { name: other } of suffixes) {
      make.io.step()
      if (other === name) continue
      const file = make.files.find(name + other)
      if (file?.recipe === undefined) continue
      if (file.deps.length > 0) {
        if (make.isPosix) continue
        await make.complain('warning: ignoring prerequisites on suffix rule definition', file.recipe.place)
      }
      if (other === '.a') convertMembers(make, name, file.recipe)
      convert(make, other, name, file.recipe)
    }
  }
}

function convert(make: MakeState, target: string, source: string | undefined, recipe: Recipe | undefined): void {
  const deps = source === undefined ? [] : [newDependency(`%${source}`)]
  addPatternRule(make, { targets: [{ text: `%${target}`, percent: 0 }], deps, recipe, isTerminal: false }, false)
}

/** `.c.a` is about the members of archives, too. */
function convertMembers(make: MakeState, source: string, recipe: Recipe): void {
  const targets = [{ text: '(%.o)', percent: 1 }]
  addPatternRule(make, { targets, deps: [newDependency(`%${source}`)], recipe, isTerminal: false }, false)
}
