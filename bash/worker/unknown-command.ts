/** Names that are close to one that is none. */
import { editDistance } from '../../src/text/edit-distance.js'

/** What is printed after `command not found`: the nearest names, and where to find the others. */
export function unknownCommandHint(unknown: string, names: readonly string[]): string {
  const most = Math.max(1, Math.floor(unknown.length / 4))
  const near = names
    .map((name) => ({ name, distance: editDistance(name, unknown) }))
    .filter((one) => one.distance <= most)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, 3)
  const suggestion = near.length > 0 ? ` Did you mean ${near.map(({ name }) => name).join(' or ')}?` : ''
  return `This emulated shell cannot run programs of the machine.${suggestion} \`help\` lists what it has.\n`
}
