/** What the search for modules looks at: kinds of paths, and package.json. */
import { dirname, join } from '../../../../../src/fs/path.js'
import type { Bytes } from '../../../../../src/fs/types.js'
import { beyondBounds } from '../../../../../src/text/parse-json.js'
import { Failure } from '../failure.js'
import type { FileView } from '../file-view.js'
import { isTypeScript, withoutTypes } from '../typescript/without-types.js'
import { urlOf } from './file-urls.js'

export interface PackageConfig {
  /** The directory of the package, with a slash at the end. */
  folder: string
  name?: string
  main?: string
  type?: 'module' | 'commonjs'
  exports?: unknown
  imports?: Readonly<Record<string, unknown>>
}

export interface ModuleFiles {
  isFile(path: string): boolean
  isDirectory(path: string): boolean
  /** JavaScript: of TypeScript without its types. */
  text(path: string): string
  bytes(path: string): Bytes
  realPath(path: string): string
  /** What package.json in a directory says. */
  packageIn(directory: string): PackageConfig | undefined
  /** The package that a directory belongs to: the nearest package.json, not beyond `node_modules`. */
  packageAround(directory: string): PackageConfig | undefined
}

const decoder = new TextDecoder()

export function moduleFiles(files: FileView): ModuleFiles {
  const parsed = new WeakMap<Bytes, PackageConfig>()

  function kindOf(path: string): string | undefined {
    try {
      return files.stat(path, true).kind
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }

  const stripped = new WeakMap<Bytes, string>()

  function text(path: string): string {
    const bytes = files.read(path)
    if (!isTypeScript(path)) return decoder.decode(bytes)
    const known = stripped.get(bytes) ?? withoutTypes(decoder.decode(bytes), { path, url: urlOf(path) })
    stripped.set(bytes, known)
    return known
  }

  function packageIn(directory: string): PackageConfig | undefined {
    const path = join(directory, 'package.json')
    if (kindOf(path) !== 'file') return undefined
    const bytes = files.read(path)
    const known = parsed.get(bytes)
    if (known !== undefined) return known
    const config = { folder: directory === '/' ? '/' : `${directory}/`, ...parse(path, decoder.decode(bytes)) }
    parsed.set(bytes, config)
    return config
  }

  return {
    isFile: (path) => kindOf(path) === 'file',
    isDirectory: (path) => kindOf(path) === 'directory',
    text,
    bytes: files.read,
    realPath: files.realPath,
    packageIn,
    packageAround(directory) {
      for (let at = directory; !at.endsWith('/node_modules'); at = dirname(at)) {
        const found = packageIn(at)
        if (found !== undefined || at === '/') return found
      }
      return undefined
    },
  }
}

function parse(path: string, text: string): Omit<PackageConfig, 'folder'> {
  // It is parsed outside the engine, whose bounds do not hold here.
  const beyond = beyondBounds(text)
  if (beyond !== undefined) throw unreadable(path, `it is ${beyond}`)
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw unreadable(path, error.message)
  }
  if (typeof read !== 'object' || read === null) return {}
  const { name, main, type, exports, imports } = read as Readonly<Record<string, unknown>>
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof main === 'string' && { main }),
    ...((type === 'module' || type === 'commonjs') && { type }),
    ...(exports !== null && exports !== undefined && { exports }),
    ...(typeof imports === 'object' && imports !== null && { imports: imports as Record<string, unknown> }),
  }
}

function unreadable(path: string, why: string): Failure {
  return new Failure('PACKAGE_SYNTAX', { message: `Error parsing ${path}: ${why}`, type: 'SyntaxError' })
}
