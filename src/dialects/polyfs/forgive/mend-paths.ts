/**
 * Finds a file by a path that is not quite right: in quotes, as a `file://` address, or with the name of the root in front. Only where
 * nothing is at the path as given, and something at the mended one, which passes the same gate. A path at which something is to be created
 * is never mended, nor one that is to be deleted.
 */
import { isFsError } from '../../../errors.js'
import { basename, isWithin, join, relative } from '../../../fs/path.js'
import type { Workspace } from '../../../workspace/workspace.js'
import { displayPath } from '../wording.js'
import { isObject } from './take-value.js'

/** Parameters with paths of what has to exist; `[]` stands for every item of a list. */
const existing: Readonly<Record<string, readonly string[]>> = {
  read_file: ['path', 'paths[]', 'files[].path'],
  list_dir: ['path'],
  glob: ['path'],
  grep: ['path', 'paths[]'],
  file_info: ['path', 'paths[]'],
  edit_file: ['path', 'paths[]', 'edits[].path'],
  move: ['source', 'sources[]', 'pairs[][0]'],
  copy: ['source', 'sources[]', 'pairs[][0]'],
  bash: ['cwd'],
  git: ['path'],
  archive: ['path', 'paths[]'],
}

export interface Mended {
  args: object
  /** Such as `app/src/a.ts read as src/a.ts`. */
  assumed: readonly string[]
}

/** Undefined where no path looks as if it had to be mended, as in almost every call. */
export function doubtfulPaths(tool: string, args: object, workspace: Workspace): string[] | undefined {
  let doubtful: Set<string> | undefined
  const look = (path: string) => {
    if (isDoubtful(path, workspace)) doubtful = (doubtful ?? new Set()).add(path)
  }
  for (const steps of placesOf(tool, args)) visitAt(args, steps, 0, look)
  return doubtful && [...doubtful]
}

/** The arguments with every doubtful path replaced by one that leads somewhere. */
export async function mendPaths(
  tool: string,
  args: object,
  doubtful: readonly string[],
  workspace: Workspace,
): Promise<Mended> {
  const mended = new Map<string, string>()
  for (const path of doubtful) {
    const better = await mendedPath(path, workspace)
    if (better !== undefined) mended.set(path, better)
  }
  return {
    args: eachPath(tool, args, (path) => mended.get(path) ?? path),
    assumed: [...mended].map(
      ([path, better]) => `${displayPath(path, workspace)} read as ${displayPath(better, workspace)}`,
    ),
  }
}

/** Applies `change` to every path that has to exist. */
function eachPath(tool: string, args: object, change: (path: string) => string): object {
  let changed: unknown = args
  for (const steps of placesOf(tool, args)) changed = changeAt(changed, steps, change)
  return changed as object
}

type Steps = readonly string[]

const places: ReadonlyMap<string, readonly Steps[]> = new Map(
  Object.entries(existing).map(([tool, own]) => [tool, own.map((place) => place.match(/[^.[\]]+|\[\d*\]/g) ?? [])]),
)

function placesOf(tool: string, args: object): readonly Steps[] {
  const own = places.get(tool) ?? []
  // An archive is created, or it has to exist.
  const isCreated = tool === 'archive' && (args as { action?: unknown }).action === 'create'
  return isCreated ? own.filter(([first]) => first !== 'path') : own
}

/** As `changeAt`, without a copy of anything. */
function visitAt(value: unknown, steps: Steps, at: number, visit: (path: string) => void): void {
  const step = steps[at]
  if (step === undefined) {
    if (typeof value === 'string') visit(value)
  } else if (Array.isArray(value)) {
    const items = step === '[]' ? value : [value[Number(step.slice(1, -1))]]
    for (const item of items) visitAt(item, steps, at + 1, visit)
  } else if (isObject(value) && Object.hasOwn(value, step)) visitAt(value[step], steps, at + 1, visit)
}

function changeAt(value: unknown, [step, ...rest]: readonly string[], change: (path: string) => string): unknown {
  if (step === undefined) return typeof value === 'string' ? change(value) : value
  if (step === '[]') return Array.isArray(value) ? value.map((item) => changeAt(item, rest, change)) : value
  const key = step.startsWith('[') ? Number(step.slice(1, -1)) : step
  if (Array.isArray(value)) return value.map((item, at) => (at === key ? changeAt(item, rest, change) : item))
  if (!isObject(value) || !Object.hasOwn(value, key)) return value
  return { ...value, [key]: changeAt(value[key as string], rest, change) }
}

const maxPathUnits = 4096

/** Only then is the tree looked at. */
function isDoubtful(path: string, { fs }: Workspace): boolean {
  if (path.length > maxPathUnits) return false
  if (/^[\s"'`]|[\s"'`]$|^file:/i.test(path)) return true
  return !path.startsWith('/') && fs.roots.some((root) => startsWithName(path, basename(root.path)))
}

function startsWithName(path: string, name: string): boolean {
  const [first] = withoutDot(path).split('/')
  return name !== '' && first === name
}

function withoutDot(path: string): string {
  return path.replace(/^(\.\/+)+/, '')
}

/** The path at which something is, where nothing is at the given one. */
export async function mendedPath(given: string, workspace: Workspace): Promise<string | undefined> {
  if (!isDoubtful(given, workspace) || (await isThere(given, workspace))) return undefined
  const bare = withoutQuotes(given)
  const plain = fromUri(bare) ?? bare
  if (plain !== given && plain !== '' && (await isThere(plain, workspace))) return plain
  return withoutRootName(plain, workspace)
}

async function isThere(path: string, { fs, root }: Workspace): Promise<boolean> {
  try {
    await fs.stat(fs.resolve(path, root))
    return true
  } catch (error) {
    if (isFsError(error, 'NOT_FOUND', 'NOT_A_DIRECTORY', 'OUTSIDE', 'INVALID_PATH')) return false
    // Whatever it is, it will fail for a better reason.
    if (isFsError(error)) return true
    throw error
  }
}

function withoutQuotes(path: string): string {
  const bare = path.trim().replace(/^(["'`])(.*)\1$/s, '$2')
  return bare === path ? path : withoutQuotes(bare)
}

function fromUri(path: string): string | undefined {
  const [, encoded] = /^file:(?:\/\/(?:localhost)?)?(\/.*)$/i.exec(path) ?? []
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    // It has a stray percent sign.
    return undefined
  }
}

/** For `app/src` in the root `/home/me/app`, which has no `app` of its own: `src`. */
async function withoutRootName(path: string, workspace: Workspace): Promise<string | undefined> {
  const { fs, root } = workspace
  if (path.startsWith('/')) return undefined
  const [first = '', ...rest] = withoutDot(path).split('/')
  const roots = fs.roots.filter((one) => startsWithName(path, basename(one.path)))
  if (roots.length === 0 || rest.includes('..') || (await isThere(join(root, first), workspace))) return undefined
  const found: string[] = []
  for (const one of roots) {
    const candidate = [one.path, ...rest].join('/')
    if (await isThere(candidate, workspace)) found.push(fs.resolve(candidate))
  }
  const [only] = found
  if (only === undefined || found.length > 1) return undefined
  return isWithin(root, only) ? relative(root, only) || '.' : only
}
