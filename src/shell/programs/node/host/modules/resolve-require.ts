/** Finds modules for `require`, as Node's CommonJS loader does. */
import { basename, dirname, resolve } from '../../../../../fs/path.js'
import { Failure } from '../error-codes.js'
import { pathOf } from './file-urls.js'
import type { ModuleFiles } from './module-files.js'
import type { ImportResolver } from './resolve-import.js'

const requireConditions: ReadonlySet<string> = new Set(['node', 'require', 'module-sync', 'node-addons'])

export interface RequireSearch {
  /** The requiring file. */
  base: string
  /** The endings that are tried, as `require.extensions` has them. */
  endings: readonly string[]
  /** Directories that are searched after those of packages. */
  paths: readonly string[]
}

/** The path of a file without links, or the URL of a built-in module. */
export function resolveRequire(
  files: ModuleFiles,
  packages: ImportResolver,
  request: string,
  { base, endings, paths }: RequireSearch,
): string {
  if (request.startsWith('#')) {
    const config = files.packageAround(dirname(base))
    if (config?.imports !== undefined) return existing(packages.imported(request, base, requireConditions), request)
  }
  const found = inOwnPackage() ?? directories().map(inDirectory).find(isFound)
  if (found === undefined) throw new Failure('MODULE_NOT_FOUND')
  return found

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
    return existing(packages.exported(config, `.${request.slice(name.length)}`, base, requireConditions), request)
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
        return existing(packages.exported(config, `.${rest}`, undefined, requireConditions), request)
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
    return endings.map((ending) => fileAt(path + ending)).find(isFound)
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

function isFound(path: string | undefined): path is string {
  return path !== undefined
}
