/** What has to go from the history so that nothing is left of what was at a path. */
import { isWithin } from '../../fs/path.js'
import { type ChangeRecord, type Image, pathsOf, type Step } from '../journal/record.js'

/**
 * What takes the place of each record that held something of the paths, by id: that there was a change, and where. A record is one of
 * them also when it is about a name that a file had before it was moved, or when it held the same content under another name.
 */
export function purgedRecords(records: readonly ChangeRecord[], paths: readonly string[]): Map<string, ChangeRecord> {
  const names = withEarlierNames(records, paths)
  const concerns = (step: Step) => pathsOf(step).some((path) => names.some((name) => isWithin(name, path)))
  const hashes = new Set(records.flatMap(({ steps }) => steps.filter(concerns).flatMap(hashesOf)))
  const purged = records.filter(({ steps }) =>
    steps.some((step) => concerns(step) || hashesOf(step).some((hash) => hashes.has(hash))),
  )
  return new Map(purged.map((record) => [record.id, withoutContent(record)]))
}

/** Newest first, because the newest name is the one that is known. */
function withEarlierNames(records: readonly ChangeRecord[], paths: readonly string[]): string[] {
  const names = new Set(paths)
  for (const { steps } of [...records].reverse()) {
    // One name of a change may lead to another of the same.
    for (let known = -1; known < names.size; ) {
      known = names.size
      for (const step of steps) for (const name of earlierNames(step, steps, names)) names.add(name)
    }
  }
  return [...names]
}

function earlierNames(step: Step, steps: readonly Step[], names: ReadonlySet<string>): string[] {
  const found: string[] = []
  for (const name of names) {
    if (step.do === 'set') found.push(...(isWithin(name, step.path) ? movedFrom(step, steps) : []))
    else if (isWithin(name, step.to)) found.push(step.path)
    // Of a directory that was moved only what was below the name.
    else if (isWithin(step.to, name)) found.push(step.path + name.slice(step.to.length))
  }
  return found
}

/** Files are moved by two steps: one name goes, and another gets its content, whatever was there. */
function movedFrom(made: Step & { do: 'set' }, steps: readonly Step[]): string[] {
  const { after } = made
  if (after.kind !== 'file' || after.size === 0) return []
  return steps.flatMap((step) => {
    const isGone = step.do === 'set' && step.after.kind === 'absent' && step.before.kind === 'file'
    return isGone && step.before.kind === 'file' && step.before.hash === after.hash ? step.path : []
  })
}

/** Nothing is known of files that have nothing in them. */
function hashesOf(step: Step): string[] {
  const images = step.do === 'set' ? [step.before, step.after] : [step.before, step.replaces]
  return images.flatMap((image) => (image.kind === 'file' && image.size > 0 ? image.hash : []))
}

/** Not its label either, which may be a command with a secret in it. */
function withoutContent({ id, atMs, steps, undoes, checkpoint }: ChangeRecord): ChangeRecord {
  return {
    id,
    label: 'purged',
    atMs,
    steps: steps.map(withoutImages),
    undoable: false,
    purged: true,
    ...(undoes !== undefined && { undoes }),
    ...(checkpoint !== undefined && { checkpoint }),
  }
}

function withoutImages(step: Step): Step {
  if (step.do === 'rename') {
    const { path, to, before, replaces } = step
    return { do: 'rename', path, to, before: bare(before), replaces: bare(replaces) }
  }
  return { do: 'set', path: step.path, before: bare(step.before), after: bare(step.after) }
}

function bare(image: Image): Image {
  if (image.kind === 'file') return { kind: 'file', hash: 'purged', size: 0 }
  if (image.kind === 'symlink') return { kind: 'symlink', target: '' }
  return { kind: image.kind }
}
