/** Finds modules as Node does, for `require` and `import`. */
import { dirname, resolve } from '../../../../fs/path.js'
import { Failure } from './error-codes.js'
import type { FileView } from './file-view.js'

export type Format = 'commonjs' | 'module' | 'json' | 'builtin'

export interface FoundModule {
  /** An absolute path, or the name of a built-in module without `node:`. */
  path: string
  format: Format
}

export interface Modules {
  /** Fails with `MODULE_NOT_FOUND`, or `EXPORTS` when a package does not export the path. */
  find(specifier: string, from: string, kind: 'require' | 'import'): FoundModule
  formatOf(path: string): Format
  /** The source for the engine of what `import` found. */
  source(path: string): string
}

interface PackageFile {
  type?: unknown
  main?: unknown
  exports?: unknown
  name?: unknown
  imports?: unknown
}

const decoder = new TextDecoder()

export function modules(files: FileView, builtins: Readonly<Record<string, readonly string[]>>): Modules {
  function kindOf(path: string): string | undefined {
    try {
      return files.stat(path, true).kind
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }

  function packageIn(directory: string): PackageFile | undefined {
    const path = resolve(directory, 'package.json')
    if (kindOf(path) !== 'file') return undefined
    try {
      const read = JSON.parse(decoder.decode(files.read(path))) as unknown
      return typeof read === 'object' && read !== null ? read : undefined
    } catch (error) {
      if (error instanceof SyntaxError) return undefined
      throw error
    }
  }

  function asFile(path: string, kind: 'require' | 'import'): string | undefined {
    if (kindOf(path) === 'file') return path
    if (kind === 'import') return undefined
    return ['.js', '.json', '.cjs'].map((ending) => path + ending).find((each) => kindOf(each) === 'file')
  }

  function asDirectory(path: string, kind: 'require' | 'import'): string | undefined {
    if (kindOf(path) !== 'directory') return undefined
    const main = packageIn(path)?.main
    if (typeof main === 'string') {
      const at = resolve(path, main)
      const found = asFile(at, 'require') ?? asFile(resolve(at, 'index'), 'require')
      if (found !== undefined) return found
    }
    return kind === 'require' || main === undefined ? asFile(resolve(path, 'index'), 'require') : undefined
  }

  function at(path: string, kind: 'require' | 'import', isPackage = false): string | undefined {
    if (path.endsWith('/')) return asDirectory(path.slice(0, -1), kind)
    return asFile(path, kind) ?? (kind === 'require' || isPackage ? asDirectory(path, kind) : undefined)
  }

  function inPackages(specifier: string, from: string, kind: 'require' | 'import'): string | undefined {
    const [, name = specifier, rest = ''] = /^((?:@[^/]+\/)?[^/]+)(.*)$/s.exec(specifier) ?? []
    for (let directory = from; ; directory = dirname(directory)) {
      const own = packageIn(directory)
      if (own?.name === name && own.exports !== undefined) return exported(directory, own.exports, `.${rest}`, kind)
      const folder = resolve(directory, `node_modules/${name}`)
      if (!directory.endsWith('/node_modules') && kindOf(folder) === 'directory') {
        const description = packageIn(folder)
        if (description?.exports !== undefined) return exported(folder, description.exports, `.${rest}`, kind)
        const found = at(resolve(folder, `.${rest}`), kind, true)
        if (found !== undefined) return found
      }
      if (directory === '/') return undefined
    }
  }

  function exported(folder: string, exports: unknown, subpath: string, kind: 'require' | 'import'): string {
    const target = exportTarget(exports, subpath, kind)
    if (target === undefined) throw new Failure('EXPORTS')
    return resolve(folder, target)
  }

  function formatOf(path: string): Format {
    if (path.endsWith('.json')) return 'json'
    if (path.endsWith('.mjs')) return 'module'
    if (path.endsWith('.cjs')) return 'commonjs'
    for (let directory = dirname(path); ; directory = dirname(directory)) {
      const found = packageIn(directory)
      if (found?.type === 'module') return 'module'
      if (found !== undefined || directory === '/' || directory.endsWith('/node_modules')) break
    }
    return looksLikeModule(decoder.decode(files.read(path))) ? 'module' : 'commonjs'
  }

  return {
    find(specifier, from, kind) {
      const bare = specifier.replace(/^node:/, '')
      if (Object.hasOwn(builtins, bare)) return { path: bare, format: 'builtin' }
      if (specifier.startsWith('node:')) throw new Failure('UNKNOWN_BUILTIN')
      const isPath = /^(?:\.{0,2}\/|\.{1,2}$)/.test(specifier)
      const url = specifier.startsWith('file://') ? decodeURIComponent(specifier.slice(7)) : undefined
      const found =
        isPath || url !== undefined ? at(joinPath(from, url ?? specifier), kind) : inPackages(specifier, from, kind)
      if (found === undefined) throw new Failure('MODULE_NOT_FOUND')
      const path = files.realPath(found)
      return { path, format: formatOf(path) }
    },
    formatOf,
    source(path) {
      if (Object.hasOwn(builtins, path)) {
        const names = builtins[path] ?? []
        return wrapper(`$polyfs.builtin(${JSON.stringify(path)})`, names)
      }
      const text = decoder.decode(files.read(path))
      const format = formatOf(path)
      if (format === 'json') return wrapper(`JSON.parse(${JSON.stringify(text)})`, [])
      if (format === 'commonjs') return wrapper(`$polyfs.requireFile(${JSON.stringify(path)})`, namesExportedBy(text))
      return withMeta(path, text)
    },
  }
}

/** Keeps a slash at the end. */
function joinPath(from: string, path: string): string {
  return resolve(from, path) + (path.endsWith('/') || path.endsWith('/.') || path.endsWith('..') ? '/' : '')
}

/** On the first line, so that the numbers of the lines stay. */
export function withMeta(path: string, text: string): string {
  const url = JSON.stringify(`file://${encodeURI(path)}`)
  const source = text.startsWith('#!') ? `//${text}` : text
  const start = `$polyfs.fillMeta(import.meta, ${JSON.stringify(path)}, ${url}, `
  // As long as what follows: the number is padded.
  return `${start}${String(start.length + 10).padStart(8)});${source}`
}

function wrapper(expression: string, names: readonly string[]): string {
  const exports = names.filter((name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name))
  const list = exports.map((name, index) => `const $${index} = $module[${JSON.stringify(name)}];`).join('\n')
  const named = exports.map((name, index) => `$${index} as ${name}`).join(', ')
  return `const $module = ${expression};\nexport default $module;\n${list}\nexport { ${named} };\n`
}

/** The names that a CommonJS module exports, as far as its text shows them. */
export function namesExportedBy(text: string): string[] {
  const names = new Set<string>()
  for (const [, name = ''] of text.matchAll(/(?:^|[^\w$.])(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=[^=]/g))
    names.add(name)
  for (const [, name = ''] of text.matchAll(/defineProperty\(\s*(?:module\.)?exports\s*,\s*['"]([\w$]+)['"]/g))
    names.add(name)
  for (const [, body = ''] of text.matchAll(/module\.exports\s*=\s*\{([^}]*)\}/g)) {
    for (const part of body.split(',')) {
      const [, name] = /^\s*(?:async\s+)?['"]?([A-Za-z_$][\w$]*)['"]?\s*(?:[:(]|$)/.exec(part) ?? []
      if (name !== undefined) names.add(name)
    }
  }
  return [...names]
}

/** True for text with `import` or `export` statements, `import.meta`, or `await` outside of functions. */
export function looksLikeModule(text: string): boolean {
  const code = text.replace(commentOrText, (found) => (found.startsWith('/') ? '' : '""'))
  const statement =
    /(?:^|[;\n}])\s*(?:import\s*(?:[\w$*{][^;\n(]*\bfrom\b\s*['"]|\{|['"])|export\s+(?:default|const|let|var|function|class|async|\{|\*)|export\s*[{*])/
  if (statement.test(code)) return true
  return /\bimport\.meta\b/.test(code) || (awaitsAtTop.test(code) && !/\brequire\s*\(/.test(code))
}

/** What may look like a statement and is none. */
const commentOrText = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:\\[\s\S]|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g

/** Without indentation, so not in a function. */
const awaitsAtTop = /^(?:(?:const|let|var)\s[^=\n]+=\s*|for\s+|console\.log\()?await\b/m

function exportTarget(exports: unknown, subpath: string, kind: 'require' | 'import'): string | undefined {
  const isMap = typeof exports === 'object' && exports !== null && !Array.isArray(exports)
  const bySubpath = isMap && Object.keys(exports).some((key) => key.startsWith('.'))
  if (!bySubpath) return subpath === '.' ? conditional(exports, kind) : undefined
  const map = exports as Record<string, unknown>
  if (Object.hasOwn(map, subpath)) return conditional(map[subpath], kind)
  for (const [pattern, target] of Object.entries(map)) {
    const [before, after] = pattern.split('*')
    if (before === undefined || after === undefined) continue
    if (!subpath.startsWith(before) || !subpath.endsWith(after) || subpath.length < pattern.length - 1) continue
    const middle = subpath.slice(before.length, subpath.length - after.length)
    return conditional(target, kind)?.replaceAll('*', middle)
  }
  return undefined
}

function conditional(target: unknown, kind: 'require' | 'import'): string | undefined {
  if (typeof target === 'string') return target
  if (Array.isArray(target)) return target.map((each) => conditional(each, kind)).find((each) => each !== undefined)
  if (typeof target !== 'object' || target === null) return undefined
  for (const [condition, value] of Object.entries(target)) {
    if (!['node', kind, 'default', 'module-sync'].includes(condition)) continue
    const found = conditional(value, kind)
    if (found !== undefined) return found
  }
  return undefined
}
