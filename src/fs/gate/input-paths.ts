/** How a gate reads paths from outside, and shows its own. Purely lexical: nothing is looked up. */
import { FsError } from '../../errors.js'
import { fromComponents, isNormal, isWithin, resolve as resolveIn, split } from '../path.js'
import { maxPathUnits, type PathRules } from '../path-rules.js'
import type { Places, Root } from './roots.js'

export interface InputPathsOptions {
  /** Relative input is resolved against the first. */
  roots: readonly [Root, ...Root[]]
  rules: PathRules
  findRoot: Places['find']
  comparable(path: string): string
}

/** All but `resolveKnown` are as in `ConfinedFileSystem`. */
export interface InputPaths {
  resolve(input: string, base?: string): string
  /**
   * Resolves a path from outside, or one that a walk has found: trees may be deeper than the limit for paths from outside. A found path
   * is absolute and normalised, and is returned unchanged.
   */
  resolveKnown(path: string): string
  show(path: string): string
  showFull(input: string, base: string): string
  pattern(glob: string): string
}

export function inputPaths({ roots, rules, findRoot, comparable }: InputPathsOptions): InputPaths {
  const hasAliases = roots.some(({ aliases = [] }) => aliases.length > 0)
  const show = rules.print ?? ((path: string) => path)

  function resolve(input: string, base: string = roots[0].path): string {
    if (!hasAliases && rules.isPlain?.(input) && findRoot(input) !== undefined) return input
    const { absolute, components } = rules.parse(input)
    const stack = absolute ? [] : split(base)
    for (const component of components) {
      if (component !== '..') stack.push(component)
      else if (stack.pop() === undefined) throw new FsError('OUTSIDE', { path: input })
    }
    const path = withoutAlias(fromComponents(stack))
    const root = findRoot(path)
    if (root === undefined) throw new FsError('OUTSIDE', { path: input })
    return isWithin(root.path, path) ? path : inSpellingOf(root.path, path)
  }

  function withoutAlias(path: string): string {
    for (const root of roots) {
      for (const alias of root.aliases ?? []) {
        if (!isWithin(comparable(alias), comparable(path))) continue
        return fromComponents([...split(root.path), ...split(path).slice(split(alias).length)])
      }
    }
    return path
  }

  /** Where case does not matter, the root may be spelled otherwise than the directory that is mounted. */
  function inSpellingOf(root: string, path: string): string {
    return fromComponents([...split(root), ...split(path).slice(split(root).length)])
  }

  /** True for a path of the core, and for any input of a host with the same paths. */
  function isAsInCore(input: string): boolean {
    return rules.print === undefined || (input.startsWith('/') && show(input) !== input)
  }

  /** Input of a host with other paths, in the form of the core; a path with names that are refused, as far as it is spelled like one. */
  function unchecked(input: string): string {
    try {
      const { absolute, components } = rules.parse(input)
      return `${absolute ? '/' : ''}${components.join('/')}`
    } catch {
      return input.replace(/^(?=[a-zA-Z]:[\\/])/, '/').replaceAll('\\', '/')
    }
  }

  return {
    resolve,
    resolveKnown: (path) =>
      path.length > maxPathUnits && isNormal(path) && findRoot(path) !== undefined ? path : resolve(path),
    show,
    showFull: (input, base) => show(resolveIn(base, isAsInCore(input) ? input : unchecked(input))),
    pattern: rules.pattern ?? ((glob) => glob),
  }
}
