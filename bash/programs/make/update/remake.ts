/** Makes goals: first what they need, then they themselves, where they are older or missing. */
import { type Dependency, type MakeFile, missingTime, rulesOf, type Status, statuses } from '../files.js'
import { cutRecipe, runRecipe } from '../run/recipe.js'
import type { MakefileRead, MakeState } from '../state.js'
import { circular, complain } from './complaints.js'
import { finishFile } from './finish.js'
import { findImplicitRule } from './implicit.js'
import { timeOf } from './times.js'

export interface Goal {
  file: MakeFile
  makefile?: MakefileRead
}

const callsPerStack = 20

export async function makeGoals(make: MakeState, goals: readonly Goal[]): Promise<Status> {
  let status: Status = statuses.none
  const { dryRuns, asks, touches } = make.options
  make.round += 1
  for (const goal of goals) {
    make.makefileGoal = goal.makefile
    const before = make.commandsStarted
    let isStopped = false
    for (const rule of rulesOf(make.files.current(goal.file))) {
      rule.isOptional = goal.makefile?.isOptional ?? false
      // Makefiles are made even if nothing else is, unless they are goals.
      const isReal = make.isRebuilding && !rule.isGoal
      make.options.dryRuns = dryRuns && !isReal
      make.options.asks = asks && !isReal
      make.options.touches = touches && !isReal
      const failed = await updateFile(make, rule, make.isRebuilding ? 1 : 0)
      const file = make.files.current(rule)
      if ((failed !== 0 || file.isUpdated) && status < statuses.question) {
        if (file.status !== statuses.success) {
          status = file.status
          isStopped = make.options.asks && !make.options.keepsGoing && !make.isRebuilding
        } else if (file.isUpdated && make.commandsStarted > before) {
          const isChanged = (await timeOf(make, file, !make.isRebuilding)) !== file.timeBefore
          if (isChanged && (!make.isRebuilding || (!make.options.dryRuns && !make.options.asks))) {
            status = statuses.success
            isStopped = make.isRebuilding && rule.isOptional
          }
        }
      }
      rule.isOptional = false
      if (isStopped) break
    }
    const file = make.files.current(goal.file)
    const isIdle = file.status === statuses.success && make.commandsStarted === before
    if (!make.isRebuilding && isIdle && !make.options.isSilent && !make.options.asks) {
      const isNothing = file.isPhony || file.recipe === undefined
      await make.say(
        `${make.title}: ${isNothing ? `Nothing to be done for '${file.name}'.` : `'${file.name}' is up to date.`}\n`,
      )
    }
  }
  Object.assign(make.options, { dryRuns, asks, touches })
  make.makefileGoal = undefined
  return status
}

async function updateFile(make: MakeState, given: MakeFile, depth: number): Promise<Status> {
  const first = given.doubleColon ?? given
  if (first.considered === make.round) {
    const isUntold = first.isUpdated && first.status > statuses.none && !first.isOptional && first.wasSilent
    if (!isUntold) return first.state === 'finished' ? first.status : statuses.success
  }
  let status: Status = statuses.success
  for (const file of rulesOf(first)) {
    file.considered = make.round
    const next = await updateOne(make, file, depth)
    if (next !== 0 && !make.options.keepsGoing) return next
    if (next > status) status = next
  }
  return status
}

function setUpdating(file: MakeFile, isUpdating: boolean): void {
  ;(file.doubleColon ?? file).isUpdating = isUpdating
}

function isUpdating(file: MakeFile): boolean {
  return (file.doubleColon ?? file).isUpdating
}

async function useImplicitRule(make: MakeState, file: MakeFile): Promise<void> {
  if (!file.isPhony && file.recipe === undefined && !file.triedImplicit) {
    await findImplicitRule(make, file)
    file.triedImplicit = true
  }
  const usual = make.files.find('.DEFAULT')?.recipe
  if (file.recipe === undefined && !file.isTarget && usual !== undefined) file.recipe = usual
}

async function updateOne(make: MakeState, original: MakeFile, depth: number): Promise<Status> {
  make.io.step()
  make.io.account(1000)
  if (depth % callsPerStack === 0) await Promise.resolve()
  if (original.isUpdated) {
    if (original.status <= statuses.none) return statuses.success
    if (original.wasSilent && !original.isOptional) await complain(make, original)
    return original.status
  }
  if (original.state === 'finished') return original.status
  original.wasSilent = original.isOptional
  setUpdating(original, true)
  const time = await timeOf(make, original)
  const file = make.files.current(original)
  setUpdating(file, true)
  const isMissing = time === missingTime
  await useImplicitRule(make, file)
  const needed = await updateNeeded(make, file, depth + 1, time, isMissing)
  let { mustMake } = needed
  setUpdating(file, false)
  setUpdating(original, false)
  if (needed.status !== 0) {
    file.status = needed.status === statuses.none ? statuses.failed : needed.status
    await finishFile(make, file)
    const { options } = make
    if (depth === 0 && options.keepsGoing && !options.dryRuns && !options.asks) {
      await make.complain(`Target '${file.name}' not remade because of errors.`)
    }
    return file.status
  }
  let anyChanged = false
  for (const dep of file.deps) {
    if (dep.file === undefined) continue
    const depTime = await timeOf(make, dep.file)
    dep.file = make.files.current(dep.file)
    if (!dep.ignoresTime) {
      if (depTime === missingTime && !dep.file.isIntermediate) mustMake = true
      anyChanged ||= dep.changed
    }
    dep.changed ||= isMissing || depTime > time
  }
  if (file.doubleColon !== undefined && file.deps.length === 0) mustMake = true
  else if (!isMissing && file.isTarget && !anyChanged && file.recipe === undefined) mustMake = false
  else if (!mustMake && file.recipe !== undefined && make.options.makesAll) mustMake = true
  if (!mustMake) {
    await finishFile(make, file)
    for (const one of rulesOf(file)) one.name = one.foundName
    return statuses.success
  }
  // What is made is made here, not where a search path found it.
  if (file.name !== file.foundName) file.ignoresPath = true
  await remake(make, file)
  file.isUpdated = true
  return file.status
}

interface Needed {
  status: Status
  mustMake: boolean
}

/** What a target needs is made where that is due. */
async function updateNeeded(
  make: MakeState,
  file: MakeFile,
  depth: number,
  time: number,
  isMissing: boolean,
): Promise<Needed> {
  const needed: Needed = { status: statuses.success, mustMake: isMissing }
  for (const owner of [file, ...file.alsoMake]) {
    for (const dep of [...owner.deps]) {
      if (dep.file === undefined) continue
      const before = await timeOf(make, dep.file)
      dep.file = make.files.current(dep.file)
      if (isUpdating(dep.file)) {
        await make.complain(circular(file, dep))
        owner.deps = owner.deps.filter((other) => other !== dep)
        continue
      }
      await updateDependency(make, file, dep, depth, time, needed)
      if (needed.status !== 0 && !make.options.keepsGoing) return needed
      dep.file = make.files.current(dep.file)
      dep.changed = (await timeOf(make, dep.file)) !== before || before === missingTime
    }
  }
  if (!needed.mustMake && !make.options.makesAll) return needed
  for (const dep of file.deps) {
    if (!dep.file?.isIntermediate) continue
    const before = await timeOf(make, dep.file)
    dep.file = make.files.current(dep.file)
    dep.file.parent = file
    const wasOptional = dep.file.isOptional
    if (make.isRebuilding) dep.file.isOptional = file.isOptional
    dep.file.considered = 0
    const status = await updateFile(make, dep.file, depth)
    if (status > needed.status) needed.status = status
    if (make.isRebuilding) dep.file.isOptional = wasOptional
    if (needed.status !== 0 && !make.options.keepsGoing) break
    dep.changed = (file.isPhony && file.recipe !== undefined) || (await timeOf(make, dep.file)) !== before
  }
  return needed
}

async function updateDependency(
  make: MakeState,
  file: MakeFile,
  dep: Dependency,
  depth: number,
  time: number,
  needed: Needed,
): Promise<void> {
  const target = dep.file as MakeFile
  target.parent = file
  const wasOptional = target.isOptional
  if (make.isRebuilding) target.isOptional = file.isOptional
  const checked = await check(make, target, depth, time, needed.mustMake)
  if (checked.status > needed.status) needed.status = checked.status
  if (make.isRebuilding) target.isOptional = wasOptional
  if (!dep.ignoresTime) needed.mustMake = checked.mustMake
}

/** Whether something of this age has to be made again because of a file, which is made first unless it is only a step in between. */
async function check(
  make: MakeState,
  original: MakeFile,
  depth: number,
  parentTime: number,
  given: boolean,
): Promise<Needed> {
  const needed: Needed = { status: statuses.success, mustMake: given }
  setUpdating(original, true)
  let file = original
  if (file.isPhony || !file.isIntermediate) {
    needed.status = await updateFile(make, file, depth + 1)
    file = make.files.current(file)
    const time = await timeOf(make, file)
    if (time === missingTime || time > parentTime) needed.mustMake = true
  } else {
    await useImplicitRule(make, file)
    const time = await timeOf(make, file)
    file = make.files.current(file)
    if (time !== missingTime && time > parentTime) needed.mustMake = true
    else await checkThrough(make, file, depth + 1, parentTime, needed)
  }
  setUpdating(file, false)
  setUpdating(original, false)
  return needed
}

/** A step in between counts as what it is made of. */
async function checkThrough(
  make: MakeState,
  file: MakeFile,
  depth: number,
  parentTime: number,
  needed: Needed,
): Promise<void> {
  file.state = 'not started'
  for (const dep of [...file.deps]) {
    if (dep.file === undefined) continue
    dep.file = make.files.current(dep.file)
    if (isUpdating(dep.file)) {
      await make.complain(circular(file, dep))
      file.deps = file.deps.filter((other) => other !== dep)
      continue
    }
    dep.file.parent = file
    const checked = await check(make, dep.file, depth, parentTime, needed.mustMake)
    if (checked.status > needed.status) needed.status = checked.status
    if (!dep.ignoresTime) needed.mustMake = checked.mustMake
    if (needed.status !== 0 && !make.options.keepsGoing) break
  }
}

async function remake(make: MakeState, file: MakeFile): Promise<void> {
  const { recipe } = file
  if (recipe === undefined) {
    if (file.isPhony || file.isTarget) file.status = statuses.success
    else {
      if (!make.isRebuilding || !file.isOptional) await complain(make, file)
      file.status = statuses.failed
    }
  } else {
    cutRecipe(make, recipe)
    if (!make.options.touches || recipe.hasRecursive) {
      await runRecipe(make, file, recipe)
      return
    }
    file.status = statuses.success
  }
  await finishFile(make, file)
}
