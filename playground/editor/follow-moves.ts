import type { ChangeRecord, Step } from '../../src/change/journal/record.js'
import { basename, isWithin } from '../../src/fs/path.js'

/**
 * Where a file is after a change that somebody made: its new path when it was moved, alone or with a directory above it. The same path
 * when it was not; whether it still exists there has to be looked up.
 */
export function pathAfter(path: string, { steps }: ChangeRecord): string {
  let now = path
  for (const step of steps) {
    if (step.do === 'rename' && isWithin(step.path, now)) now = step.to + now.slice(step.path.length)
  }
  return movedTo(now, steps) ?? now
}

/** A file that moves alone is removed and appears elsewhere with the same content. */
function movedTo(path: string, steps: readonly Step[]): string | undefined {
  const gone = steps.find((step) => step.do === 'set' && step.path === path && step.after.kind === 'absent')
  if (gone?.before.kind !== 'file') return undefined
  const { hash } = gone.before
  const places = steps.flatMap((step) => {
    const isSame = step.do === 'set' && step.after.kind === 'file' && step.after.hash === hash
    return isSame && !hadContent(step.before, hash) ? [step.path] : []
  })
  return places.find((place) => basename(place) === basename(path)) ?? places[0]
}

function hadContent(image: Step['before'], hash: string): boolean {
  return image.kind === 'file' && image.hash === hash
}

/** Whether a change may concern a path: it names the path, or something above it. */
export function concerns({ steps }: ChangeRecord, path: string): boolean {
  return steps.some((step) => isWithin(step.path, path) || (step.do === 'rename' && isWithin(step.to, path)))
}
