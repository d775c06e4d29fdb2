/** Names that are close to one that is none. */
import { editDistance } from '../../src/text/edit-distance.js'

const network = 'This shell has no network. Its host can add a program of this name.'
const pythonTool = (module: string) =>
  `Where its package is installed and pure Python, it runs as: python3 -m ${module}.`

/** What to do instead. */
const instead: Readonly<Record<string, string>> = {
  ssh: network,
  scp: network,
  gh: network,
  ...Object.fromEntries(
    ['black', 'mypy', 'flake8', 'pylint', 'isort', 'coverage', 'tox', 'nox'].map((name) => [name, pythonTool(name)]),
  ),
  ruff: '`python3 -m compileall` finds mistakes of syntax.',
  uv: 'Python runs with python3, and wheels in the workspace install with pip.',
  uvx: 'Python runs with python3, and wheels in the workspace install with pip.',
  poetry: 'Python runs with python3, and wheels in the workspace install with pip.',
  pipenv: 'Python runs with python3, and wheels in the workspace install with pip.',
  deno: 'JavaScript and TypeScript run with node.',
  tsc: 'A package that is installed runs with npx tsc.',
}

/** What is printed after `command not found`: the nearest names, and where to find the others. */
export function unknownCommandHint(unknown: string, names: readonly string[]): string {
  const known = Object.hasOwn(instead, unknown) ? instead[unknown] : undefined
  if (known !== undefined)
    return `This emulated shell cannot run programs of the machine. ${known} \`help\` lists what it has.\n`
  const most = Math.max(1, Math.floor(unknown.length / 4))
  const near = names
    .map((name) => ({ name, distance: editDistance(name, unknown) }))
    .filter((one) => one.distance <= most)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, 3)
  const suggestion = near.length > 0 ? ` Did you mean ${near.map(({ name }) => name).join(' or ')}?` : ''
  return `This emulated shell cannot run programs of the machine.${suggestion} \`help\` lists what it has.\n`
}
