/** Finds modules as Node does, for `require` and `import`, and gives the engine their source. */
import { dirname } from '../../../../../src/fs/path.js'
import type { Bytes } from '../../../../../src/fs/types.js'
import { Failure } from '../failure.js'
import type { FileView } from '../file-view.js'
import { exportedNames } from './exported-names.js'
import { pathOf, urlOf } from './file-urls.js'
import { moduleFiles } from './module-files.js'
import { type FileFormat, importedFormat, mainFormat, requiredFormat, untypedPackage } from './module-format.js'
import { withMeta, wrapped } from './module-source.js'
import { importResolver } from './resolve-import.js'
import { resolveRequire } from './resolve-require.js'

export interface FoundModule {
  /** An absolute path, or the name of a built-in module without `node:`. */
  path: string
  format: FileFormat | 'builtin'
}

export interface Modules {
  /** For `require` in the file `base`. `endings`: those that are tried. */
  require(request: string, base: string, endings: readonly string[]): FoundModule
  /** For `import` in the file `base`: the name that the engine gets. */
  import(specifier: string, base: string): FoundModule
  /** For `import.meta.resolve`: the file need not be there. */
  resolve(specifier: string, base: string): string
  /** For `node FILE`. */
  main(path: string): FoundModule
  /** Says that a file is an ES module, whatever its ending: it is required. */
  required(path: string): void
  /** The text of a file for `require`. */
  text(path: string): string
  /** The source for the engine of what `import` found. */
  source(name: string): string
}

/** The modules of the library. */
export interface Builtins {
  has(name: string): boolean
  /** What one exports. */
  names(name: string): readonly string[]
}

export interface ModulesOptions {
  builtins: Builtins
  /** True for text that can't be compiled as CommonJS but as an ES module. */
  isModuleText(text: string): boolean
  /** `NODE_PATH`. */
  paths: readonly string[]
  /** Conditions of packages beside the usual ones. */
  conditions: readonly string[]
}

/** Names that are also those of packages. */
const onlyWithScheme: ReadonlySet<string> = new Set(['test', 'test/reporters'])

const mainEndings = ['.js', '.json', '.node']

export function modules(view: FileView, { builtins, isModuleText, paths, conditions }: ModulesOptions): Modules {
  const files = moduleFiles(view)
  const isBuiltin = (name: string) => builtins.has(name)
  /** Some are built in only under their whole name. */
  const isBuiltinHere = (name: string) => isBuiltin(name) && !onlyWithScheme.has(name)
  const packages = importResolver(files, { isBuiltin, isBuiltinHere, conditions })
  const known = new WeakMap<Bytes, boolean>()
  const required = new Set<string>()
  /** Names of modules that were imported with `?` or `#` after the path. */
  const suffixed = new Map<string, { path: string; url: string }>()

  function isModule(path: string): boolean {
    const bytes = files.bytes(path)
    const found = known.get(bytes) ?? isModuleText(files.text(path))
    known.set(bytes, found)
    return found
  }

  function decided(path: string, format: FileFormat): Exclude<FileFormat, 'ambiguous'> {
    if (format !== 'ambiguous') return format
    return isModule(path) ? 'module' : 'commonjs'
  }

  function findRequired(request: string, base: string, endings: readonly string[]): FoundModule {
    const bare = request.replace(/^node:/, '')
    if (bare === request ? isBuiltinHere(bare) : isBuiltin(bare)) return { path: bare, format: 'builtin' }
    const found = resolveRequire(files, packages, request, { base, endings, paths, conditions })
    if (found.startsWith('node:')) return { path: found.slice(5), format: 'builtin' }
    return { path: found, format: requiredFormat(files, found) }
  }

  /** Also those that it takes over from other modules. */
  function namesOf(path: string, seen = new Set<string>()): string[] {
    if (seen.has(path)) return []
    seen.add(path)
    const { names, from } = exportedNames(files.text(path))
    const taken = from.flatMap((request) => {
      try {
        const found = findRequired(request, path, mainEndings)
        if (found.format === 'builtin') return [...builtins.names(found.path)]
        return found.format === 'json' || found.format === 'module' ? [] : namesOf(found.path, seen)
      } catch (error) {
        if (error instanceof Failure) return []
        throw error
      }
    })
    return [...new Set([...names, ...taken])]
  }

  return {
    require: findRequired,
    import(specifier, base) {
      const url = packages.resolve(specifier, base)
      if (url.protocol === 'node:') return { path: url.pathname, format: 'builtin' }
      const path = pathOf(url)
      const format = decided(path, importedFormat(files, path))
      const suffix = url.search + url.hash
      if (suffix === '') return { path, format }
      suffixed.set(path + suffix, { path, url: url.href })
      return { path: path + suffix, format }
    },
    resolve(specifier, base) {
      const url = packages.urlFor(specifier, base)
      if (url.protocol !== 'file:' || !files.isFile(pathOf(url))) return url.href
      // Node looks at the package of the file too, and fails if that is broken.
      if (/\.js$|\/[^./]+$/.test(url.pathname)) files.packageAround(dirname(files.realPath(pathOf(url))))
      return urlOf(files.realPath(pathOf(url))) + url.search + url.hash
    },
    main(path) {
      const found = resolveRequire(files, packages, path, {
        base: '/',
        endings: mainEndings,
        paths: [],
        conditions,
        isMain: true,
      })
      return { path: found, format: mainFormat(files, found) }
    },
    required: (path) => void required.add(path),
    text: files.text,
    source(name) {
      if (isBuiltin(name)) return wrapped(`$polyfs.builtin(${JSON.stringify(name)})`, builtins.names(name))
      const { path, url } = suffixed.get(name) ?? { path: name, url: urlOf(name) }
      const text = files.text(path)
      const format = required.has(path) ? 'module' : importedFormat(files, path)
      const as = decided(path, format)
      if (as === 'json') return wrapped(`JSON.parse(${JSON.stringify(text)})`, [])
      if (as === 'commonjs') return wrapped(`$polyfs.requireFile(${JSON.stringify(path)})`, namesOf(path))
      return withMeta(text, { path, url, ...(format === 'ambiguous' && { untyped: untypedPackage(files, path) }) })
    },
  }
}
