/** When files were changed, with what `VPATH` finds. */
import { isFsError } from '../../../../src/errors.js'
import { type MakeFile, missingTime, newTime, oldTime, rulesOf, unknownTime } from '../files.js'
import type { MakeState } from '../state.js'
import { searchPaths } from './search-path.js'

/** `searches`: also along the search path. */
export async function timeOf(make: MakeState, given: MakeFile, searches = true): Promise<number> {
  const file = make.files.current(given)
  return file.time === unknownTime ? readTime(make, file, searches) : file.time
}

export async function readTime(make: MakeState, file: MakeFile, searches: boolean): Promise<number> {
  let time = await timeOnDisk(make, file.name)
  if (time === missingTime && searches && !file.ignoresPath) {
    const found = await searchPaths(make, file.name)
    if (found !== undefined) {
      make.files.rename(file, found.name)
      time = found.time === unknownTime ? await timeOnDisk(make, found.name) : found.time
    }
  }
  if (time > oldTime && time !== newTime && !file.isUpdated) await warnOfSkew(make, file.name, time)
  for (const one of rulesOf(file)) {
    // It was there before make started, so make does not remove it.
    const isOlder = time !== missingTime && one.state === 'not started' && !one.triedImplicit
    if (isOlder && one.isIntermediate) one.isIntermediate = false
    one.time = time
  }
  return time
}

export async function timeOnDisk(make: MakeState, name: string): Promise<number> {
  if (name === '') return missingTime
  try {
    const stat = await make.io.fs.stat(name)
    if (name.endsWith('/') && stat.kind !== 'directory') return missingTime
    return stat.modifiedMs ?? 0
  } catch (error) {
    if (!isFsError(error)) throw error
    return missingTime
  }
}

async function warnOfSkew(make: MakeState, name: string, time: number): Promise<void> {
  const seconds = (time - make.io.now()) / 1000
  // Clocks of file systems are up to some milliseconds off.
  if (make.toldOfSkew || seconds < 0.01) return
  make.toldOfSkew = true
  const text = seconds >= 99 ? `${Math.floor(seconds)}` : `${Number(seconds.toPrecision(2))}`
  await make.complain(`Warning: File '${name}' has modification time ${text} s in the future`)
}
