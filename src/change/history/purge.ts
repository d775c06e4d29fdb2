/** Finds the records to purge so that the history stores nothing of a path any more. */
import { isWithin } from '../../fs/path.js'
import { type ChangeRecord, type Image, pathsOf, type Step } from '../journal/record.js'

/**
 * The replacements, by id, of all records that concern the paths: they say only that there was a change, and where. A record also
 * concerns a path when it changed an earlier name of it, or stored the same content under another name.
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

/** Goes from the newest record back, because the given names are the newest. */
function withEarlierNames(records: readonly ChangeRecord[], paths: readonly string[]): string[] {
  const names = new Set(paths)
  for (const { steps } of [...records].reverse()) {
    // Within a change one name may lead to another, so this repeats until none is added.
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
    // The directory above was moved, and the name with it.
    else if (isWithin(step.to, name)) found.push(step.path + name.slice(step.to.length))
  }
  return found
}

/** A moved file has two steps: one removes it, and one writes its content to the new path. */
function movedFrom(made: Step & { do: 'set' }, steps: readonly Step[]): string[] {
  const { after } = made
  if (after.kind !== 'file' || after.size === 0) return []
  return steps.flatMap((step) => {
    const isGone = step.do === 'set' && step.after.kind === 'absent' && step.before.kind === 'file'
    return isGone && step.before.kind === 'file' && step.before.hash === after.hash ? step.path : []
  })
}

/** Empty files are left out: they all have the same hash. */
function hashesOf(step: Step): string[] {
  const images = step.do === 'set' ? [step.before, step.after] : [step.before, step.replaces]
  return images.flatMap((image) => (image.kind === 'file' && image.size > 0 ? image.hash : []))
}

/** Drops the label too: it may be a command that contains a secret. */
function withoutContent({ id, atMs, steps, undoes, undoesPartly, checkpoint }: ChangeRecord): ChangeRecord {
  return {
    id,
    label: 'purged',
    atMs,
    steps: steps.map(withoutImages),
    undoable: false,
    purged: true,
    ...(undoes !== undefined && { undoes }),
    ...(undoesPartly !== undefined && { undoesPartly }),
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
