/** The variables that commands of a recipe get. */
import { expandVariable } from '../expand/expand.js'
import type { MakeFile } from '../files.js'
import type { MakeState } from '../state.js'
import { isExportable, type Scope, type Variable } from '../variables.js'

export async function environmentOf(make: MakeState, file: MakeFile): Promise<Map<string, string>> {
  const chosen = new Map<string, Variable | undefined>()
  let isParent = false
  for (let scope: Scope | undefined = file.variables ?? make.globalScope; scope !== undefined; scope = scope.next) {
    for (const variable of scope.set.values()) {
      make.io.step()
      if (chosen.has(variable.name) || (isParent && variable.isPrivate)) continue
      if (variable.isPerTarget && variable.export === 'default') {
        variable.export = make.global.get(variable.name)?.export ?? 'default'
      }
      if (isExported(make, variable)) chosen.set(variable.name, variable)
    }
    isParent ||= scope.nextIsParent
  }
  const environment = new Map<string, string>()
  for (const [name, variable] of chosen) {
    if (variable === undefined) continue
    const isGiven = variable.origin === 'environment' || variable.origin === 'environment override'
    environment.set(
      name,
      variable.isRecursive && !isGiven ? await expandVariable(make, variable, file) : variable.value,
    )
  }
  const shell = make.io.env.get('SHELL')
  if (!environment.has('SHELL') && shell !== undefined) environment.set('SHELL', shell)
  environment.set('MAKELEVEL', `${make.level + 1}`)
  return environment
}

function isExported(make: MakeState, variable: Variable): boolean {
  switch (variable.export) {
    case 'yes':
      return true
    case 'no':
      return false
    case 'if set':
      return variable.origin !== 'default'
    case 'default':
      if (variable.origin === 'default' || variable.origin === 'automatic') return false
      if (!isExportable(variable.name)) return false
      return make.exportsAll || variable.origin === 'command line'
  }
}
