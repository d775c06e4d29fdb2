/** Makefiles are targets too: they are made first, and then all is read again. */
import { type MakeFile, missingTime, statuses } from '../files.js'
import { MakeEnded } from '../make-error.js'
import type { MakefileRead, MakeState } from '../state.js'
import { makeGoals } from './remake.js'
import { timeOnDisk } from './times.js'

interface Makefile {
  file: MakeFile
  makefile: MakefileRead
  before: number
}

/** True when one has changed. */
export async function remakeMakefiles(make: MakeState): Promise<boolean> {
  const all: Makefile[] = []
  for (const makefile of make.makefiles) {
    const file = make.files.findOrEnter(makefile.name)
    // It would be made anew each time.
    if (file.doubleColon !== undefined && file.deps.length === 0 && file.recipe !== undefined) continue
    all.unshift({ file, makefile, before: await timeOnDisk(make, makefile.name) })
  }
  make.isRebuilding = true
  const status = await makeGoals(make, all)
  make.isRebuilding = false
  if (status === statuses.success) return true
  if (status !== statuses.failed) return tellOfMissing(make, all)
  return handleFailure(make, all)
}

/** Nothing was done, so what is missing stays missing. */
async function tellOfMissing(make: MakeState, all: readonly Makefile[]): Promise<boolean> {
  for (const { file, makefile, before } of all) {
    if (
      before === missingTime &&
      !makefile.isOptional &&
      file.status === statuses.success &&
      makefile.problem !== undefined
    ) {
      await make.complain(makefile.problem.text, makefile.problem.place)
    }
  }
  return false
}

async function handleFailure(make: MakeState, all: readonly Makefile[]): Promise<boolean> {
  let isChanged = false
  let isFatal = false
  for (const { file, makefile, before } of all) {
    const time = await timeOnDisk(make, makefile.name)
    if (file.isUpdated && file.status === statuses.success) isChanged ||= time !== before
    else if (makefile.isOptional) continue
    else if (file.isUpdated) {
      await make.complain(`Failed to remake makefile '${makefile.name}'.`)
      isChanged ||= time !== missingTime && time !== before
    } else if (makefile.isIncluded) await make.complain(`Included makefile '${makefile.name}' was not found.`)
    else {
      await make.complain(`Makefile '${makefile.name}' was not found`)
      isFatal = true
    }
  }
  if (!isChanged && isFatal) throw new MakeEnded(2)
  return isChanged
}
