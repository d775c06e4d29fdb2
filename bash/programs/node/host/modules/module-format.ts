/** What kind of module a file is: by its ending, then by the package it belongs to. */
import { basename, dirname } from '../../../../../src/fs/path.js'
import { unknownExtension } from './failures.js'
import type { ModuleFiles, PackageConfig } from './module-files.js'

/** `ambiguous`: an ES module if it can't be compiled as CommonJS but as an ES module. */
export type FileFormat = 'commonjs' | 'module' | 'json' | 'ambiguous'

/** As `require` takes it: every ending is allowed. */
export function requiredFormat(files: ModuleFiles, path: string): FileFormat {
  const ending = endingOf(path)
  const known = byEnding(ending)
  if (known !== undefined) return known
  return ending === '.js' || ending === '.ts' ? (files.packageAround(dirname(path))?.type ?? 'ambiguous') : 'ambiguous'
}

/** As `import` takes it. */
export function importedFormat(files: ModuleFiles, path: string): FileFormat {
  const ending = endingOf(path)
  const known = byEnding(ending)
  if (known !== undefined) return known
  if (ending !== '.js' && ending !== '.ts' && ending !== '') throw unknownExtension(ending, path)
  return files.packageAround(dirname(path))?.type ?? 'ambiguous'
}

/** As `node FILE` takes it: an ES module goes the way of `import`. */
export function mainFormat(files: ModuleFiles, path: string): FileFormat {
  if (/\.[cm][jt]s$/.test(path)) return requiredFormat(files, path)
  const isImported = files.packageAround(dirname(path))?.type === 'module'
  return isImported ? importedFormat(files, path) : requiredFormat(files, path)
}

/** The package whose `type` would have said what a `.js` file is. */
export function untypedPackage(files: ModuleFiles, path: string): PackageConfig | undefined {
  if (!/\.[jt]s$/.test(path) || path.includes('/node_modules/')) return undefined
  const found = files.packageAround(dirname(path))
  return found?.type === undefined ? found : undefined
}

function byEnding(ending: string): FileFormat | undefined {
  if (ending === '.mjs' || ending === '.mts') return 'module'
  if (ending === '.cjs' || ending === '.cts') return 'commonjs'
  return ending === '.json' ? 'json' : undefined
}

function endingOf(path: string): string {
  const name = basename(path)
  const dot = name.lastIndexOf('.')
  return dot <= 0 ? '' : name.slice(dot)
}
