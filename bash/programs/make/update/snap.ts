/** What is settled when all makefiles are read: prerequisites that are expanded twice, and the special targets. */
import { expandFor } from '../expand/expand.js'
import { type Dependency, type MakeFile, missingTime, recipeFlags, rulesOf } from '../files.js'
import { enterPrerequisites, splitPrerequisites } from '../read/record-rule.js'
import { setAutomatic } from '../run/automatic.js'
import type { MakeState } from '../state.js'
import { scopeOf } from './target-scope.js'

export async function snapPrerequisites(make: MakeState): Promise<void> {
  make.isSnapped = true
  if (make.expandsTwice) for (const file of make.files.all()) await expandAgain(make, file)
  const named = (target: string) =>
    (make.files.find(target)?.deps ?? []).flatMap(({ file }) => (file ? rulesOf(file) : []))
  for (const file of named('.PRECIOUS')) file.isPrecious = true
  for (const file of named('.PHONY')) {
    file.isPhony = true
    file.isTarget = true
    file.time = missingTime
    file.timeBefore = missingTime
  }
  for (const file of named('.INTERMEDIATE')) file.isIntermediate = true
  for (const file of named('.SECONDARY')) {
    file.isIntermediate = true
    file.isSecondary = true
  }
  const secondary = make.files.find('.SECONDARY')
  if (secondary?.isTarget && secondary.deps.length === 0) make.allSecondary = true
  if (make.files.find('.EXPORT_ALL_VARIABLES')?.isTarget) make.exportsAll = true
  const { options } = make
  if (applies(make, '.IGNORE', recipeFlags.ignores)) options.ignoresErrors = true
  if (applies(make, '.SILENT', recipeFlags.silent)) options.isSilent = true
}

/** True when it is about all targets. */
function applies(make: MakeState, target: string, flag: number): boolean {
  const file = make.files.find(target)
  if (file === undefined || !file.isTarget) return false
  for (const dep of file.deps) if (dep.file !== undefined) for (const one of rulesOf(dep.file)) one.flags |= flag
  return file.deps.length === 0
}

async function expandAgain(make: MakeState, file: MakeFile): Promise<void> {
  if (!file.deps.some(({ needsExpansion }) => needsExpansion)) return
  await scopeOf(make, file, false)
  const given = file.deps
  const deps: Dependency[] = []
  const { stem } = file
  for (const [index, dep] of given.entries()) {
    if (!dep.needsExpansion) {
      deps.push(dep)
      continue
    }
    const text = dep.isStaticPattern ? dep.name.replaceAll('%', '$*') : dep.name
    if (dep.stem !== undefined) file.stem = dep.stem
    // Those before it are known, those after it are not.
    file.deps = [...deps, ...given.slice(index)]
    setAutomatic(make, file)
    const again = await splitPrerequisites(make, await expandFor(make, text, file))
    if (stem !== undefined) file.stem = stem
    deps.push(...enterPrerequisites(make, again, dep.stem))
  }
  file.deps = deps
}
