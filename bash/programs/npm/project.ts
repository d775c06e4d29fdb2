/** The directory that npm works on, and its workspaces. */
import { dirname, join, relative, resolve } from '../../../src/fs/path.js'
import { compileGlobs } from '../../../src/search/patterns/glob.js'
import { exists } from '../../io/exists.js'
import type { ProgramIo } from '../../io/program.js'
import { failure } from './npm-failure.js'
import { isObject, type Package, packageIfAny, readPackage } from './package-json.js'
import type { Settings } from './settings.js'

export interface Project {
  /** Where `package.json` or `node_modules` is. */
  directory: string
  /** The workspace that the command was given in. */
  implicit?: string
}

/** All directories from here up to the root. */
export function ancestors(directory: string): string[] {
  const all = [directory]
  for (let at = directory; at !== '/'; ) {
    at = dirname(at)
    all.push(at)
  }
  return all
}

export async function findProject(io: ProgramIo, settings: Settings): Promise<Project> {
  const prefix = settings.given.get('prefix')
  if (typeof prefix === 'string') return { directory: io.path(prefix) }
  const isAlone = settings.given.get('workspaces') === false || settings.is('global')
  let found: string | undefined
  for (const at of ancestors(io.cwd)) {
    const hasPackage = await exists(io.fs, join(at, 'package.json'))
    if (found === undefined) {
      if (!hasPackage && !(await exists(io.fs, join(at, 'node_modules')))) continue
      found = at
      if (isAlone) return { directory: at }
    } else if (hasPackage) {
      const root = await packageIfAny(io, at)
      if (root === undefined) continue
      if ([...(await workspacesOf(io, root)).values()].includes(found)) return { directory: at, implicit: found }
    }
  }
  return { directory: found ?? io.cwd }
}

const globRules = { slashless: 'at-base', starCrosses: false, ignoreCase: false, dot: false } as const

/** Directories of the workspaces that a package names, by the names of their packages. */
export async function workspacesOf(io: ProgramIo, { directory, content }: Package): Promise<Map<string, string>> {
  const named = isObject(content.workspaces) ? content.workspaces.packages : content.workspaces
  if (named === undefined) return new Map()
  if (!Array.isArray(named)) throw failure('workspaces config expects an Array', 'EWORKSPACESCONFIG')
  const patterns = named.map(String)
  const plain = (pattern: string) =>
    pattern
      .replace(/^!+/, '')
      .replace(/^\.?\/+/, '')
      .replace(/\/$/, '')
  const wanted = patterns.filter((pattern) => !isNegated(pattern)).map(plain)
  const unwanted = compileGlobs(patterns.filter(isNegated).map(plain), globRules)
  const deepest = Math.max(0, ...wanted.map((each) => (each.includes('**') ? 12 : each.split('/').length)))
  const all = await directoriesBelow(io, directory, deepest)
  const found = new Map<string, string>()
  for (const pattern of wanted) {
    const glob = compileGlobs([pattern], globRules)
    for (const path of all.filter((each) => glob.matches(each) && !unwanted.matches(each)).sort()) {
      const at = join(directory, path)
      const workspace = (await exists(io.fs, join(at, 'package.json'))) ? await readPackage(io, at) : undefined
      if (workspace === undefined) continue
      const name = String(workspace.content.name ?? path.split('/').at(-1))
      const other = found.get(name)
      if (other !== undefined && other !== at) throw twice(name, [other, at])
      found.set(name, at)
    }
  }
  return found
}

const isNegated = (pattern: string) => (/^!*/.exec(pattern)?.[0].length ?? 0) % 2 === 1

function twice(name: string, paths: readonly string[]) {
  const list = paths.map((path) => `    ${path}`).join('\n')
  return failure(
    `must not have multiple workspaces with the same name\npackage '${name}' has conflicts in the following paths:\n${list}`,
    'EDUPLICATEWORKSPACE',
  )
}

async function directoriesBelow(io: ProgramIo, top: string, depth: number, prefix = ''): Promise<string[]> {
  if (depth === 0) return []
  const found: string[] = []
  for (const { name, kind } of await io.fs.readDir(join(top, prefix === '' ? '.' : prefix))) {
    if (kind !== 'directory' || name === 'node_modules' || name.startsWith('.')) continue
    io.step()
    const path = prefix === '' ? name : `${prefix}/${name}`
    found.push(path, ...(await directoriesBelow(io, top, depth - 1, path)))
  }
  return found
}

export interface Workspace {
  name: string
  directory: string
}

/** The workspaces that a command is for; undefined when it is for the project itself. */
export async function chosenWorkspaces(
  io: ProgramIo,
  settings: Settings,
  { directory, implicit }: Project,
): Promise<Workspace[] | undefined> {
  const named = settings.list('workspace')
  const isForAll = settings.is('workspaces')
  const filters = named.length > 0 ? named : implicit !== undefined && !isForAll ? [implicit] : []
  if (filters.length === 0 && !isForAll) return undefined
  const root = await readPackage(io, directory)
  const all = await workspacesOf(io, root)
  const chosen = new Map<string, string>()
  if (settings.is('include-workspace-root')) chosen.set(String(root.content.name), directory)
  for (const [name, at] of filters.length === 0 ? all : []) chosen.set(name, at)
  for (const filter of filters) {
    for (const [name, at] of all) if (isMeant(io, filter, { name, directory: at })) chosen.set(name, at)
  }
  if (chosen.size === 0) {
    const list = filters.map((filter) => ` --workspace=${filter}`).join('')
    throw failure(`No workspaces found${filters.length > 0 ? `:\n ${list}` : '!'}`)
  }
  return [...chosen].map(([name, at]) => ({ name, directory: at }))
}

/** By its name, its directory, or a directory above. */
function isMeant(io: ProgramIo, filter: string, { name, directory }: Workspace): boolean {
  if (filter === name) return true
  const at = resolve(io.cwd, filter)
  return at === directory || (directory.startsWith(`${at}/`) && !relative(at, directory).includes('/'))
}
