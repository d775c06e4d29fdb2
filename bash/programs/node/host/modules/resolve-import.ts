/** Finds modules for `import`, as Node's resolver of ES modules does. */
import { dirname } from '../../../../../src/fs/path.js'
import {
  directoryImport,
  importNotDefined,
  invalidSpecifier,
  notExported,
  notFound,
  unknownBuiltin,
  unsupportedScheme,
} from './failures.js'
import { parseUrl, pathOf, urlOf } from './file-urls.js'
import type { ModuleFiles, PackageConfig } from './module-files.js'
import { exportsMap, findTarget } from './package-targets.js'

export interface ImportResolver {
  /** The URL of a module: of a file, which need not be there, or of a built-in module. */
  urlFor(specifier: string, base: string): URL
  /** The same for an existing file, without links. */
  resolve(specifier: string, base: string): URL
  /** What `exports` of a package has for a subpath. */
  exported(config: PackageConfig, subpath: string, base: string | undefined, conditions: ReadonlySet<string>): URL
  /** What `imports` of the package around `base` has for a name that begins with `#`. */
  imported(name: string, base: string, conditions: ReadonlySet<string>): URL
}

const usualConditions = ['node', 'import', 'module-sync', 'node-addons']

export interface ImportOptions {
  isBuiltin(name: string): boolean
  /** The same for a name without `node:`. */
  isBuiltinHere(name: string): boolean
  /** Conditions of packages beside the usual ones. */
  conditions: readonly string[]
}

export function importResolver(
  files: ModuleFiles,
  { isBuiltin, isBuiltinHere, conditions: others }: ImportOptions,
): ImportResolver {
  const importConditions: ReadonlySet<string> = new Set([...usualConditions, ...others])

  function urlFor(specifier: string, base: string, conditions = importConditions): URL {
    if (/^(?:\/|\.{1,2}(?:\/|$))/.test(specifier)) return new URL(specifier, urlOf(base))
    if (specifier.startsWith('#')) return imported(specifier, base, conditions)
    return parseUrl(specifier) ?? inPackages(specifier, base, conditions)
  }

  function inPackages(specifier: string, base: string, conditions: ReadonlySet<string>): URL {
    if (isBuiltinHere(specifier)) return new URL(`node:${specifier}`)
    const { name, subpath } = packageName(specifier, base)
    const own = files.packageAround(dirname(base))
    if (own?.exports !== undefined && own.name === name) return exported(own, subpath, base, conditions)
    for (let directory = dirname(base); ; directory = dirname(directory)) {
      const folder = `${directory === '/' ? '' : directory}/node_modules/${name}`
      if (files.isDirectory(folder)) return inPackage(folder, subpath, base, conditions)
      if (directory === '/') throw notFound('package', name, base)
    }
  }

  function inPackage(folder: string, subpath: string, base: string, conditions: ReadonlySet<string>): URL {
    const config = files.packageIn(folder)
    if (config?.exports !== undefined) return exported(config, subpath, base, conditions)
    if (subpath !== '.') return new URL(subpath, urlOf(`${folder}/`))
    const main = config?.main
    const candidates = [
      ...(main === undefined ? [] : mainEndings.map((ending) => `./${main}${ending}`)),
      ...indexFiles.map((name) => `./${name}`),
    ].map((each) => new URL(each, urlOf(`${folder}/`)))
    const found = candidates.find((url) => files.isFile(pathOf(url)))
    if (found === undefined) throw notFound('package', `${folder}/${main ?? 'index.js'}`, base)
    return found
  }

  function exported(
    config: PackageConfig,
    subpath: string,
    base: string | undefined,
    conditions: ReadonlySet<string>,
  ): URL {
    const target = findTarget(config, exportsMap(config), subpath, { base, conditions })
    if (target === undefined || target === null) throw notExported(config.folder, subpath, base)
    return target
  }

  function imported(name: string, base: string, conditions: ReadonlySet<string>): URL {
    if (name === '#' || name.startsWith('#/') || name.endsWith('/')) {
      throw invalidSpecifier(name, 'is not a valid internal imports specifier name', base)
    }
    const config = files.packageAround(dirname(base))
    const findPackage = (specifier: string, from: string) => inPackages(specifier, from, conditions)
    const target = config?.imports && findTarget(config, config.imports, name, { base, conditions, findPackage })
    if (target === undefined || target === null) throw importNotDefined(name, config?.folder, base)
    return target
  }

  return {
    urlFor,
    exported,
    imported,
    resolve(specifier, base) {
      const url = urlFor(specifier, base)
      if (url.protocol === 'node:') {
        if (!isBuiltin(url.pathname)) throw unknownBuiltin(specifier)
        return url
      }
      if (url.protocol !== 'file:') throw unsupportedScheme(url.protocol)
      if (/%2f|%5c/i.test(url.pathname)) {
        throw invalidSpecifier(url.pathname, 'must not include encoded "/" or "\\" characters', base)
      }
      const path = pathOf(url)
      // A slash at the end says so, whether there is a directory or not.
      if (path.endsWith('/') || files.isDirectory(path)) throw directoryImport(path, base, url.href)
      if (!files.isFile(path)) throw notFound('module', path, base, url.href)
      return new URL(urlOf(files.realPath(path)) + url.search + url.hash)
    },
  }
}

const mainEndings = ['', '.js', '.json', '.node', '/index.js', '/index.json', '/index.node']
const indexFiles = ['index.js', 'index.json', 'index.node']

function packageName(specifier: string, base: string): { name: string; subpath: string } {
  const isScoped = specifier.startsWith('@')
  const first = specifier.indexOf('/')
  const end = isScoped && first !== -1 ? specifier.indexOf('/', first + 1) : first
  const name = end === -1 ? specifier : specifier.slice(0, end)
  if ((isScoped && first === -1) || /^\.|[%\\]/.test(name)) {
    throw invalidSpecifier(specifier, 'is not a valid package name', base)
  }
  return { name, subpath: end === -1 ? '.' : `.${specifier.slice(end)}` }
}
