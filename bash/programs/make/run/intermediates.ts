/** Removes what was made only as a step in between. */
import { isFsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import { type MakeFile, statuses } from '../files.js'
import type { MakeState } from '../state.js'
import { inTableOrder } from './table-order.js'

export async function removeIntermediates(make: MakeState): Promise<void> {
  const { options } = make
  if (options.asks || options.touches || make.allSecondary) return
  const removed: string[] = []
  const all = make.files.all()
  for (const file of inTableOrder(all.filter(isRemoved), all.length)) {
    if (!options.dryRuns && !(await remove(make, file))) continue
    if (!file.isOptional && !options.isSilent) removed.push(file.name)
  }
  if (removed.length > 0) await make.say(`rm ${removed.join(' ')}\n`)
}

function isRemoved(file: MakeFile): boolean {
  if (!file.isIntermediate || file.isSecondary || file.isGoal) return false
  return (file.isOptional || !file.isPrecious) && file.status !== statuses.none
}

async function remove(make: MakeState, { name }: MakeFile): Promise<boolean> {
  try {
    await make.io.fs.remove(name)
    return true
  } catch (error) {
    if (!isFsError(error)) throw error
    if (error.code === 'NOT_FOUND') return false
    await make.complain(`unlink: ${name}: ${describeError(error)}`)
    return true
  }
}
