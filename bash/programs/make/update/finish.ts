/** What is noted when a target is done with. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import { type MakeFile, newTime, recipeFlags, rulesOf, type Status, statuses, unknownTime } from '../files.js'
import type { MakeState } from '../state.js'
import { readTime } from './times.js'

export async function finishFile(make: MakeState, file: MakeFile): Promise<void> {
  const ran = file.state === 'running'
  file.state = 'finished'
  file.isUpdated = true
  const touched = make.options.touches && file.status === statuses.success && (await touch(make, file))
  if (file.timeBefore === unknownTime) file.timeBefore = file.time
  if ((ran && !file.isPhony) || touched) file.time = isSurelyNew(make, file) ? newTime : unknownTime
  if (file.doubleColon !== undefined) shareTimes(file)
  if (ran && file.status !== statuses.none) {
    for (const other of file.alsoMake) {
      other.state = 'finished'
      other.isUpdated = true
      other.status = file.status
      if (!other.isPhony) await readTime(make, other, false)
    }
  } else if (file.status === statuses.none) file.status = statuses.success
}

/** Nothing was really run, so the file is as new as it would be. */
function isSurelyNew({ options }: MakeState, { recipe, isTarget }: MakeFile): boolean {
  const isPretended = options.asks || options.dryRuns || options.touches
  if (isPretended && recipe !== undefined) return recipe.flags.some((flags) => (flags & recipeFlags.recursive) === 0)
  return isTarget && recipe === undefined
}

/** Rules with `::` have the time of the newest. */
function shareTimes(file: MakeFile): void {
  const all = rulesOf(file)
  if (all.some(({ isUpdated }) => !isUpdated)) return
  const times = all.map(({ time }) => time)
  const time = times.includes(unknownTime) ? unknownTime : Math.max(...times)
  for (const one of all) one.time = time
}

/** `-t`: true when it counts as made. */
async function touch(make: MakeState, file: MakeFile): Promise<boolean> {
  const { recipe } = file
  if (recipe?.hasRecursive && recipe.flags.every((flags) => (flags & recipeFlags.recursive) !== 0)) return false
  if (file.isPhony || recipe === undefined) return false
  file.status = await touchFile(make, file.name)
  make.commandsStarted += 1
  return true
}

async function touchFile(make: MakeState, name: string): Promise<Status> {
  const { io, options } = make
  if (!options.isSilent) await make.say(`touch ${name}\n`)
  if (options.dryRuns) return statuses.success
  try {
    await io.fs.lstat(name).catch(async () => (await io.fs.openWrite(name)).close())
    await io.fs.setModified(name, io.now())
    return statuses.success
  } catch (error) {
    if (!isFsError(error)) throw error
    await make.complain(`touch: ${name}: ${describeError(error)}`)
    return statuses.failed
  }
}
