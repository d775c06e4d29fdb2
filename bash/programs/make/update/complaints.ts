/** Messages about targets that can't be made. */
import { type MakeFile, nameOf, statuses } from '../files.js'
import { MakeError } from '../make-error.js'
import type { MakeState } from '../state.js'

/** Why an included makefile could not be read is said only when it can't be made either. */
export async function tellOfMakefile(make: MakeState): Promise<void> {
  const goal = make.makefileGoal
  if (goal === undefined || !goal.isIncluded || goal.isOptional || goal.problem === undefined) return
  await make.complain(goal.problem.text, goal.problem.place)
  goal.problem = undefined
}

/** Nothing makes this file. */
export async function complain(make: MakeState, file: MakeFile): Promise<void> {
  for (const dep of file.deps) {
    const needed = dep.file
    if (needed?.isUpdated && needed.wasSilent && file.status === statuses.failed) {
      await complain(make, needed)
      return
    }
  }
  await tellOfMakefile(make)
  const needs = file.parent === undefined ? '' : `, needed by '${file.parent.name}'`
  const message = `No rule to make target '${file.name}'${needs}`
  if (!make.options.keepsGoing) throw new MakeError(message)
  await make.complain(`*** ${message}.`)
  file.wasSilent = false
}

export function circular(file: MakeFile, dep: Parameters<typeof nameOf>[0]): string {
  return `Circular ${file.name} <- ${nameOf(dep)} dependency dropped.`
}
