/** What `exports` and `imports` of package.json map a path to. */
import { invalidConfig, invalidSpecifier, invalidTarget } from './failures.js'
import { parseUrl, pathOf, urlOf } from './file-urls.js'
import type { PackageConfig } from './module-files.js'

export interface TargetSearch {
  /** The importing file. */
  base: string | undefined
  conditions: ReadonlySet<string>
  /** Finds the package that a target of `imports` names; such targets are allowed in `imports` only. */
  findPackage?: (specifier: string, from: string) => URL
}

/** Undefined: no condition applies. Null: not available. */
type Target = URL | null | undefined

/** The target of a key of `map`, which may be a pattern. Undefined or null when there is none. */
export function findTarget(
  config: PackageConfig,
  map: Readonly<Record<string, unknown>>,
  name: string,
  search: TargetSearch,
): Target {
  if (Object.hasOwn(map, name) && !name.includes('*') && !name.endsWith('/')) {
    return targetOf({ ...search, config, key: name, match: undefined }, map[name])
  }
  const key = bestPattern(Object.keys(map), name)
  if (key === undefined) return undefined
  const star = key.indexOf('*')
  const match = name.slice(star, name.length - (key.length - star - 1))
  return targetOf({ ...search, config, key, match }, map[key])
}

/** `exports` as a map of subpaths. */
export function exportsMap({ folder, exports }: PackageConfig): Readonly<Record<string, unknown>> {
  if (typeof exports === 'string' || Array.isArray(exports)) return { '.': exports }
  if (typeof exports !== 'object' || exports === null) return {}
  const keys = Object.keys(exports)
  const isSugar = keys[0] !== undefined && !keys[0].startsWith('.')
  if (keys.some((key) => key.startsWith('.') === isSugar)) {
    throw invalidConfig(
      `${folder}package.json`,
      '"exports" cannot contain some keys starting with \'.\' and some not. The exports object must either be an object of package subpath keys or an object of main entry condition name keys only.',
    )
  }
  return isSugar ? { '.': exports } : (exports as Readonly<Record<string, unknown>>)
}

function bestPattern(keys: readonly string[], name: string): string | undefined {
  let best: string | undefined
  for (const key of keys) {
    const star = key.indexOf('*')
    if (star === -1 || key.lastIndexOf('*') !== star) continue
    if (!name.startsWith(key.slice(0, star)) || !name.endsWith(key.slice(star + 1)) || name.length < key.length)
      continue
    if (best === undefined || isMoreSpecific(key, best)) best = key
  }
  return best
}

function isMoreSpecific(key: string, other: string): boolean {
  const [length, otherLength] = [key.indexOf('*'), other.indexOf('*')]
  return length === otherLength ? key.length > other.length : length > otherLength
}

interface Place extends TargetSearch {
  config: PackageConfig
  key: string
  /** What the `*` of a pattern stands for. */
  match: string | undefined
}

function targetOf(place: Place, target: unknown): Target {
  if (typeof target === 'string') return pathTarget(place, target)
  if (Array.isArray(target)) return firstOf(place, target)
  if (target === null) return null
  if (typeof target !== 'object') throw invalid(place, target)
  const keys = Object.keys(target)
  if (keys.some((key) => `${Number(key)}` === key && Number(key) >= 0 && Number(key) < 0xffffffff)) {
    throw invalidConfig(`${place.config.folder}package.json`, '"exports" cannot contain numeric property keys.')
  }
  for (const key of keys) {
    if (key !== 'default' && !place.conditions.has(key)) continue
    const found = targetOf(place, (target as Readonly<Record<string, unknown>>)[key])
    if (found !== undefined) return found
  }
  return undefined
}

function firstOf(place: Place, targets: readonly unknown[]): Target {
  let last: Target = targets.length === 0 ? null : undefined
  let failure: unknown
  for (const target of targets) {
    try {
      const found = targetOf(place, target)
      if (found === undefined) continue
      if (found !== null) return found
      last = null
      failure = undefined
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_INVALID_PACKAGE_TARGET') throw error
      failure = error
    }
  }
  if (failure !== undefined) throw failure
  return last
}

function pathTarget(place: Place, target: string): URL {
  const { config, match, findPackage } = place
  const withMatch = (text: string) => (match === undefined ? text : text.replaceAll('*', () => match))
  if (!target.startsWith('./')) {
    const isPackage = !target.startsWith('../') && !target.startsWith('/') && parseUrl(target) === undefined
    if (findPackage === undefined || !isPackage) throw invalid(place, target)
    return findPackage(withMatch(target), `${config.folder}package.json`)
  }
  if (leavesPackage(target.slice(2))) throw invalid(place, target)
  const url = new URL(target, urlOf(config.folder))
  if (!pathOf(url).startsWith(config.folder)) throw invalid(place, target)
  if (match === undefined) return url
  if (leavesPackage(match)) {
    const kind = findPackage === undefined ? 'exports' : 'imports'
    const reason = `request is not a valid match in pattern "${place.key}" for the "${kind}" resolution of ${config.folder}package.json`
    throw invalidSpecifier(
      place.key.replace('*', () => match),
      reason,
      place.base,
    )
  }
  return new URL(withMatch(url.href))
}

function invalid({ config, key, base, findPackage }: Place, target: unknown) {
  return invalidTarget(config.folder, { key, target, isImport: findPackage !== undefined, base })
}

/** True when a part of the path is `.`, `..` or `node_modules`, also when it is encoded. Empty parts are tolerated. */
function leavesPackage(path: string): boolean {
  return path.split(/[\\/]/).some((part) => /^(?:(?:\.|%2e){1,2}|node_modules)$/i.test(decodeLetters(part)))
}

function decodeLetters(part: string): string {
  return part.replace(/%([46-7][\da-f]|5f)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
