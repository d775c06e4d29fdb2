/** Finds modules for `require`, as Node's CommonJS loader does. */
import { basename, dirname, resolve } from '../../../../../src/fs/path.js'
import { Failure } from '../failure.js'
import { pathOf } from './file-urls.js'
import type { ModuleFiles } from './module-files.js'
import type { ImportResolver } from './resolve-import.js'

const usualConditions = ['node', 'require', 'module-sync', 'node-addons']

export interface RequireSearch {
  /** The requiring file. */
  base: string
  /** The endings that are tried, as `require.extensions` has them. */
  endings: readonly string[]
  /** Directories that are searched after those of packages. */
  paths: readonly string[]
  /** Conditions of packages beside the usual ones. */
  conditions: readonly string[]
  /** A file that is run: no package is asked for it. */
  isMain?: boolean
}

/** The path of a file without links, or the URL of a built-in module. */
export function resolveRequire(
  files: ModuleFiles,
  packages: ImportResolver,
  request: string,
  { base, endings, paths, conditions, isMain }: RequireSearch,
): string {
  const requireConditions: ReadonlySet<string> = new Set([...usualConditions, ...conditions])
  if (request.startsWith('#')) {
    const config = files.packageAround(dirname(base))
    if (config?.imports !== undefined) {
      return mapped(() => packages.imported(request, base, requireConditions))
    }
  }
  const own = isMain ? undefined : inOwnPackage()
  if (own !== undefined) return own
  for (const directory of directories()) {
    const found = inDirectory(directory)
    if (found !== undefined) return found
  }
  throw new Failure('MODULE_NOT_FOUND')

  /** The file that a package maps the request to. */
  function mapped(find: () => URL): string {
    try {
      return existing(find(), request)
    } catch (error) {
      if (error instanceof Failure && error.code === 'ERR_MODULE_NOT_FOUND') throw missing(request)
      throw error
    }
  }

  function existing(url: URL, name: string): string {
    if (url.protocol === 'node:') return url.href
    if (/%2f|%5c/i.test(url.pathname)) {
      throw new Failure('ERR_INVALID_MODULE_SPECIFIER', { message: `Invalid module "${name}"`, type: 'TypeError' })
    }
    const path = pathOf(url)
    if (!files.isFile(path)) throw missing(path)
    return files.realPath(path)
  }

  function inOwnPackage(): string | undefined {
    const config = files.packageAround(dirname(base))
    const { name, exports } = config ?? {}
    if (config === undefined || name === undefined || exports === undefined) return undefined
    if (request !== name && !request.startsWith(`${name}/`)) return undefined
    return mapped(() => packages.exported(config, `.${request.slice(name.length)}`, base, requireConditions))
  }

  /** Where the request may be. */
  function directories(): string[] {
    if (request.startsWith('/')) return ['/']
    if (/^\.{1,2}(?:\/|$)/.test(request)) return [dirname(base)]
    return [...packageDirectories(dirname(base)), ...paths]
  }

  function inDirectory(directory: string): string | undefined {
    const isRelative = /^\.{0,2}\//.test(request) || request === '.' || request === '..'
    if (!isRelative && !files.isDirectory(directory)) return undefined
    const [, name, rest = ''] = /^((?:@[^/\\%]+\/)?[^./\\%][^/\\%]*)(\/.*)?$/s.exec(request) ?? []
    if (!isRelative && name !== undefined) {
      const config = files.packageIn(resolve(directory, name))
      if (config?.exports !== undefined) {
        return mapped(() => packages.exported(config, `.${rest}`, undefined, requireConditions))
      }
    }
    const path = resolve(directory, request)
    if (/(?:^|\/)\.{0,2}$/.test(request)) return asPackage(path)
    return fileAt(path) ?? withEnding(path) ?? asPackage(path)
  }

  function fileAt(path: string): string | undefined {
    return files.isFile(path) ? files.realPath(path) : undefined
  }

  function withEnding(path: string): string | undefined {
    const ending = endings.find((each) => files.isFile(path + each))
    return ending === undefined ? undefined : files.realPath(path + ending)
  }

  function asPackage(path: string): string | undefined {
    if (!files.isDirectory(path)) return undefined
    const main = files.packageIn(path)?.main
    const index = withEnding(resolve(path, 'index'))
    if (main === undefined || main === '') return index
    const at = resolve(path, main)
    const found = fileAt(at) ?? withEnding(at) ?? withEnding(resolve(at, 'index')) ?? index
    if (found === undefined) {
      const message = `Cannot find module '${at}'. Please verify that the package.json has a valid "main" entry`
      throw new Failure('MODULE_NOT_FOUND', { message })
    }
    return found
  }
}

/** The directories of packages that a file in this directory sees, the nearest first. */
export function packageDirectories(from: string): string[] {
  const found: string[] = []
  for (let at = from; ; at = dirname(at)) {
    if (basename(at) !== 'node_modules') found.push(resolve(at, 'node_modules'))
    if (at === '/') return found
  }
}

function missing(name: string): Failure {
  return new Failure('MODULE_NOT_FOUND', { message: `Cannot find module '${name}'` })
}
