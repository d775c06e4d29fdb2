/** What Node says when a module can't be found, with its codes. */
import { Failure } from '../failure.js'

export function notFound(what: 'module' | 'package', name: string, base: string, url?: string): Failure {
  const message = `Cannot find ${what} '${name}' imported from ${base}`
  return new Failure('ERR_MODULE_NOT_FOUND', { message, ...(url !== undefined && { url }) })
}

export function directoryImport(path: string, base: string, url: string): Failure {
  const message = `Directory import '${path}' is not supported resolving ES modules imported from ${base}`
  return new Failure('ERR_UNSUPPORTED_DIR_IMPORT', { message, url })
}

export function invalidSpecifier(specifier: string, reason: string, base: string | undefined): Failure {
  const message = `Invalid module "${specifier}" ${reason}${from(base)}`
  return new Failure('ERR_INVALID_MODULE_SPECIFIER', { message, type: 'TypeError' })
}

export function notExported(folder: string, subpath: string, base: string | undefined): Failure {
  const message =
    subpath === '.'
      ? `No "exports" main defined in ${folder}package.json${from(base)}`
      : `Package subpath '${subpath}' is not defined by "exports" in ${folder}package.json${from(base)}`
  return new Failure('ERR_PACKAGE_PATH_NOT_EXPORTED', { message })
}

export function importNotDefined(specifier: string, folder: string | undefined, base: string): Failure {
  const where = folder === undefined ? '' : ` in package ${folder}package.json`
  const message = `Package import specifier "${specifier}" is not defined${where}${from(base)}`
  return new Failure('ERR_PACKAGE_IMPORT_NOT_DEFINED', { message, type: 'TypeError' })
}

interface InvalidTarget {
  key: string
  target: unknown
  isImport: boolean
  base: string | undefined
}

export function invalidTarget(folder: string, { key, target, isImport, base }: InvalidTarget): Failure {
  const shown = JSON.stringify(typeof target === 'object' && target !== null ? JSON.stringify(target) : `${target}`)
  const kind = isImport ? 'imports' : 'exports'
  const isRelative = isImport || typeof target !== 'string' || target === '' || target.startsWith('./')
  const hint = isRelative ? '' : '; targets must start with "./"'
  const what = key === '.' ? `"${kind}" main target ${shown} defined` : `"${kind}" target ${shown} defined for '${key}'`
  const message = `Invalid ${what} in the package config ${folder}package.json${from(base)}${hint}`
  return new Failure('ERR_INVALID_PACKAGE_TARGET', { message })
}

export function invalidConfig(path: string, reason: string): Failure {
  return new Failure('ERR_INVALID_PACKAGE_CONFIG', { message: `Invalid package config ${path}. ${reason}`.trimEnd() })
}

export function unknownExtension(extension: string, path: string): Failure {
  const message = `Unknown file extension "${extension}" for ${path}`
  return new Failure('ERR_UNKNOWN_FILE_EXTENSION', { message, type: 'TypeError' })
}

export function unsupportedScheme(protocol: string): Failure {
  const message = `Only URLs with a scheme in: file and node are supported by this shell. Received protocol '${protocol}'`
  return new Failure('ERR_UNSUPPORTED_ESM_URL_SCHEME', { message })
}

export function unknownBuiltin(specifier: string): Failure {
  return new Failure('ERR_UNKNOWN_BUILTIN_MODULE', { message: `No such built-in module: ${specifier}` })
}

function from(base: string | undefined): string {
  return base === undefined ? '' : ` imported from ${base}`
}
