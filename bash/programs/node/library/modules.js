/** Modules of CommonJS, and what ES modules and code made from text need. */
'use strict'
;(() => {
  const { internal } = $polyfs
  /** @type {Compile} */
  const compile = globalThis.compile
  /** @type {Peek} */
  const peek = globalThis.peek
  /** @type {Realm} */
  const realm = globalThis.realm
  /** @type {UseEval} */
  const useEval = globalThis.useEval
  delete globalThis.compile
  delete globalThis.peek
  delete globalThis.realm
  delete globalThis.useEval
  internal.promiseState = (promise) => peek(promise)
  const paths = () => internal.builtin('path')
  /** Of TypeScript the JavaScript. */
  const read = (path) =>
    (/\.[cm]?ts$/.test(path) ? ask('readModule', path) : internal.call('readText', path)).replace(/^\ufeff/, '')
  internal.readModule = read

  /** Compiles and runs code; what it throws is thrown. */
  internal.evaluate = function evaluate(source, name, how = 'script') {
    const result = compile(source, name, how)
    if (result.isError) throw result.value
    return result.value
  }
  const evaluate = internal.evaluate
  internal.makeRealm = () => realm()
  internal.evaluateIn = function evaluateIn(which, source, name) {
    const result = realm(which, source, name)
    if (result.isError) throw result.value
    return result.value
  }

  /** @param {any} parent */
  function Module(id = '', parent = undefined) {
    this.id = id
    this.path = paths().dirname(id)
    this.exports = {}
    this.filename = null
    this.loaded = false
    this.children = []
    this.paths = []
    Object.defineProperty(this, 'parent', { value: parent, writable: true, configurable: true, enumerable: false })
    if (parent) parent.children.push(this)
  }
  internal.Module = Module
  Module._cache = Object.create(null)
  Module._pathCache = Object.create(null)
  Module._extensions = Object.create(null)
  Module.globalPaths = []
  Module.wrapper = ['(function (exports, require, module, __filename, __dirname) { ', '\n});']
  Module.wrap = (source) => Module.wrapper[0] + source + Module.wrapper[1]
  let main

  const builtinsOfNode =
    'cluster domain inspector inspector/promises repl sqlite trace_events wasi sys stream/web sea'.split(' ')
  function isMissingBuiltin(request) {
    const bare = request.replace(/^node:/, '')
    return builtinsOfNode.includes(bare)
  }
  const hintFor = (request) =>
    isMissingBuiltin(request) ? '\nThis shell has the built-in modules ' + internal.builtinNames().join(', ') : ''

  function notFound(request, stack) {
    const list = stack.length > 0 ? '\nRequire stack:\n' + stack.map((each) => '- ' + each).join('\n') : ''
    const error = new Error("Cannot find module '" + request + "'" + list + hintFor(request))
    error.code = 'MODULE_NOT_FOUND'
    error.requireStack = stack
    return error
  }
  internal.moduleNotFound = notFound

  function stackOf(module) {
    const list = []
    for (let at = module; at; at = at.parent) list.push(at.filename || at.id)
    return list
  }

  /** An error that the host describes. */
  internal.moduleFailure = failure
  function failure(given) {
    const code = given.$fail
    const message = given.message === undefined ? code : given.message
    const Type = given.type === undefined ? Error : globalThis[given.type]
    const Coded =
      Type === TypeError ? internal.NodeTypeError : Type === SyntaxError ? internal.NodeSyntaxError : internal.NodeError
    const error = code.startsWith('ERR_')
      ? new Coded(code, message)
      : Object.assign(new Type(message), code === 'MODULE_NOT_FOUND' && { code })
    if (given.url !== undefined) error.url = given.url
    return error
  }
  $polyfs.failure = (given) => {
    const found = /^Cannot find package '(.*)' imported/s.exec(given.message || '')
    const message =
      (given.message || 'Cannot load a module: ' + given.$fail) + (found === null ? '' : hintFor(found[1]))
    return failure({
      ...given,
      message,
      ...(given.$fail === 'PACKAGE_SYNTAX' && { $fail: 'ERR_INVALID_PACKAGE_CONFIG', type: undefined }),
    })
  }

  /** Asks the host; what it can't do is thrown as Node throws it. */
  function ask(operation, ...given) {
    try {
      return internal.call(operation, ...given)
    } catch (error) {
      throw error.$given === undefined ? error : $polyfs.failure(error.$given)
    }
  }

  /** How each file is loaded, as far as it was found by its name. */
  const formats = new Map()
  const formatOf = (path) => formats.get(path) || find(path, '/').format

  function find(request, base, parent) {
    let found
    try {
      found = internal.call('require', request, base, Object.keys(Module._extensions).join(' '))
    } catch (error) {
      if (error.$code === 'MODULE_NOT_FOUND' && error.$given.message === undefined)
        throw notFound(request, stackOf(parent))
      if (error.$given === undefined) throw error
      throw failure(error.$given)
    }
    if (found.format !== 'builtin') formats.set(found.path, found.format)
    return found
  }

  Module._nodeModulePaths = (from) => {
    const list = []
    for (let at = paths().resolve(from); ; at = paths().dirname(at)) {
      if (paths().basename(at) !== 'node_modules') list.push(paths().join(at, 'node_modules'))
      if (at === '/') return list
    }
  }
  Module._resolveFilename = function (request, parent, _isMain, options) {
    const bases = options?.paths
      ? [...options.paths].map((path) => paths().resolve(path, 'noop.js'))
      : [parent?.filename || paths().resolve('noop.js')]
    let last
    for (const base of bases) {
      try {
        const found = find(request, base, parent)
        return found.format === 'builtin' ? request : found.path
      } catch (error) {
        if (error.code !== 'MODULE_NOT_FOUND') throw error
        last = error
      }
    }
    throw last || notFound(request, stackOf(parent))
  }
  Module._load = function (request, parent, isMain) {
    if (request.startsWith('node:') && !internal.hasBuiltin(request.slice(5))) {
      if (isMissingBuiltin(request)) throw notFound(request, stackOf(parent))
      throw new internal.NodeError('ERR_UNKNOWN_BUILTIN_MODULE', 'No such built-in module: ' + request)
    }
    const filename = Module._resolveFilename(request, parent, isMain)
    return filename.startsWith('/') ? load(filename, parent) : internal.builtin(filename.replace(/^node:/, ''))
  }
  function load(filename, parent) {
    const known = Module._cache[filename]
    if (known !== undefined) {
      if (parent && !parent.children.includes(known)) parent.children.push(known)
      if (!known.loaded && asModules.has(known)) throw cycle(inACircle(filename), parent?.filename, unlike)
      return known.exports
    }
    const module = new Module(filename, parent)
    Module._cache[filename] = module
    let isDone = false
    try {
      module.load(filename)
      isDone = true
    } finally {
      if (!isDone) {
        delete Module._cache[filename]
        if (parent) parent.children = parent.children.filter((child) => child !== module)
      }
    }
    return module.exports
  }
  Module.prototype.load = function (filename) {
    this.filename = filename
    this.paths = Module._nodeModulePaths(paths().dirname(filename))
    Module._extensions[endingOf(filename)](this, filename)
    this.loaded = true
  }
  Module.prototype.require = function (request) {
    if (typeof request !== 'string') throw internal.wrongType('id', 'of type string', request)
    if (request === '')
      throw new internal.NodeTypeError(
        'ERR_INVALID_ARG_VALUE',
        "The argument 'id' must be a non-empty string. Received ''",
      )
    return Module._load(request, this, false)
  }

  /** The longest that is known. */
  function endingOf(filename) {
    const name = paths().basename(filename)
    for (let dot = name.indexOf('.', 1); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      if (Module._extensions[name.slice(dot)]) return name.slice(dot)
    }
    return '.js'
  }

  Module._extensions['.js'] = function (module, filename) {
    const format = formatOf(filename)
    if (format === 'module') requireModule(module, filename)
    else module._compile(read(filename), filename, format)
  }
  Module._extensions['.json'] = function (module, filename) {
    try {
      module.exports = JSON.parse(read(filename))
    } catch (error) {
      error.message = filename + ': ' + error.message
      throw error
    }
  }
  Module._extensions['.node'] = function (_module, filename) {
    throw new internal.NodeError('ERR_DLOPEN_FAILED', filename + ': this shell loads no native modules')
  }

  const wrapper = '(function $main(exports, require, module, __filename, __dirname) {'
  internal.compileFile = function compileFile(text, path) {
    const source = text.startsWith('#!') ? '//' + text : text
    internal.sources.set(path, text)
    internal.offsets.set(path, wrapper.length + (source.length - text.length))
    return evaluate(wrapper + source + '\n})', path)
  }
  internal.isModuleFile = (text) => evaluate(text, '', 'isModuleFile')
  Module.prototype._compile = function (text, filename, format) {
    let run
    try {
      run = internal.compileFile(text, filename)
    } catch (error) {
      if (format !== 'ambiguous' || !internal.isModuleFile(text)) throw error
      if (this !== main) return void requireModule(this, filename)
      process.mainModule = undefined
      return void internal.importMain(filename)
    }
    return Reflect.apply(run, this.exports, [
      this.exports,
      internal.makeRequire(this),
      this,
      filename,
      paths().dirname(filename),
    ])
  }

  internal.makeRequire = function makeRequire(module) {
    const require = (request) => module.require(request)
    Object.defineProperty(require, 'name', { value: 'require' })
    require.resolve = (request, options) => {
      if (typeof request !== 'string') throw internal.wrongType('request', 'of type string', request)
      return Module._resolveFilename(request, module, false, options)
    }
    require.resolve.paths = (request) => {
      if (internal.hasBuiltin(request.replace(/^node:/, ''))) return null
      return /^\.{1,2}(?:\/|$)/.test(request) ? [module.path] : Module._nodeModulePaths(module.path)
    }
    require.main = process.mainModule
    require.extensions = Module._extensions
    require.cache = Module._cache
    return require
  }
  /** For a file that need not be there. */
  Module.createRequire = (file) => {
    const { fileURLToPath } = internal.builtin('url')
    const path =
      file instanceof internal.builtin('url').URL || String(file).startsWith('file:') ? fileURLToPath(file) : file
    if (typeof path !== 'string' || !path.startsWith('/')) {
      throw new internal.NodeTypeError(
        'ERR_INVALID_ARG_VALUE',
        "The argument 'filename' must be a file URL object, file URL string, or absolute path string. Received " +
          internal.builtin('util').inspect(file),
      )
    }
    const name = path.endsWith('/') ? path + 'noop.js' : path
    const module = new Module(name)
    module.filename = name
    module.paths = Module._nodeModulePaths(module.path)
    return internal.makeRequire(module)
  }
  internal.runMain = function runMain(path, format) {
    formats.set(path, format)
    main = new Module(path)
    main.id = '.'
    process.mainModule = main
    Module._cache[path] = main
    main.load(path)
  }
  $polyfs.requireFile = (path) => {
    formats.set(path, 'commonjs')
    return load(path, undefined)
  }

  /** What an ES module requests, and whether it awaits at its top level. */
  const shapes = new Map()
  function shapeOf(path) {
    let text
    try {
      text = read(path)
    } catch (error) {
      if (error.$code === undefined) throw error
      return { requests: [], isAsync: false }
    }
    const known = shapes.get(path)
    if (known !== undefined && known.text === text) return known
    const found = evaluate(text.replace(/^#!/, '//'), 'node:internal/shape', 'shape')
    const shape = { text, requests: found === '' ? [] : JSON.parse(found.slice(1)), isAsync: found.startsWith('a') }
    shapes.set(path, shape)
    return shape
  }

  const inACircle = (path) => 'require() ES Module ' + path
  const unlike =
    ' A cycle involving require(esm) is not allowed to maintain invariants mandated by the ECMAScript specification. Try making at least part of the dependency in the graph lazily loaded.'
  const cycle = (what, importer, why = '') =>
    new internal.NodeError(
      'ERR_REQUIRE_CYCLE_MODULE',
      'Cannot ' + what + ' in a cycle.' + (importer ? ' (from ' + importer + ')' : '') + why,
    )

  /** ES modules that are required run at once: they may not wait, nor lead back to what is being run. */
  function checkGraph(root, parent) {
    const running = new Set(
      internal
        .callSites()
        .filter((site) => site.getFunctionName() === '<module>')
        .map((site) => site.getFileName()),
    )
    const seen = new Set()
    let isAsync = false
    let isBroken = false
    function visit(path, what, importer) {
      if (seen.has(path)) return
      seen.add(path)
      if (running.has(path)) throw cycle(what, importer, path === root ? unlike : '')
      const shape = shapeOf(path)
      isAsync = isAsync || shape.isAsync
      for (const request of shape.requests) {
        let found
        try {
          found = internal.call('import', request, path)
        } catch (error) {
          // The engine says so when it comes to it, before anything waits.
          if (error.$code === undefined) throw error
          isBroken = true
          continue
        }
        if (found.format === 'module') visit(found.path, 'import Module ' + request, path)
        const known = found.format === 'commonjs' ? Module._cache[found.path] : undefined
        if (known !== undefined && !known.loaded) throw cycle('import CommonJS Module ' + request, path)
      }
    }
    visit(root, inACircle(root), parent)
    if (isAsync && !isBroken)
      throw new internal.NodeError(
        'ERR_REQUIRE_ASYNC_MODULE',
        'require() cannot be used on an ESM graph with top-level await. Use import() instead. To see where the top-level await comes from, use --experimental-print-required-tla.' +
          (parent ? '\n  From ' + parent + ' ' : '') +
          '\n  Requiring ' +
          root +
          ' ',
      )
  }

  /** Those that are ES modules. */
  const asModules = new WeakSet()
  function requireModule(module, filename) {
    asModules.add(module)
    checkGraph(filename, module.parent?.filename)
    const name = JSON.stringify(filename)
    const { space } = evaluateNow('export * as space from ' + name)
    if (Object.hasOwn(space, 'module.exports')) module.exports = space['module.exports']
    else if (!Object.hasOwn(space, 'default') || Object.hasOwn(space, '__esModule')) module.exports = space
    else
      module.exports = evaluateNow(
        'export * from ' + name + '; export { default } from ' + name + '; export const __esModule = true',
      )
  }

  const then = Promise.prototype.then
  /** The namespace of a module that does not wait. */
  function evaluateNow(source) {
    const promise = evaluate(source, 'node:internal/required', 'module')
    const [state, value] = peek(promise)
    if (state === 'fulfilled') return value
    Reflect.apply(then, promise, [undefined, () => {}])
    if (state === 'rejected') throw value
    throw new internal.NodeError(
      'ERR_REQUIRE_ASYNC_MODULE',
      'require() cannot be used on an ESM graph with top-level await. Use import() instead.',
    )
  }

  internal.askImport = (name, base) => ask('import', name, base)

  const warned = new Set()
  $polyfs.fillMeta = (meta, path, url, untyped, offset) => {
    internal.modulePaths.add(path)
    internal.offsets.set(path, offset)
    meta.dirname = paths().dirname(path)
    meta.filename = path
    meta.resolve = (specifier) => ask('resolve', String(specifier), path)
    meta.url = url
    if (untyped === null || warned.has(path)) return
    warned.add(path)
    process.emitWarning(
      'Module type of ' +
        url +
        " is not specified and it doesn't parse as CommonJS.\nReparsing as ES module because module syntax was detected. This incurs a performance overhead.\nTo eliminate this warning, add " +
        '"type": "module" to ' +
        untyped +
        '.',
      { type: 'Warning', code: 'MODULE_TYPELESS_PACKAGE_JSON' },
    )
  }

  /** Where the script is: the name of its code, whatever of the library runs in it. */
  const here = (limit) =>
    internal
      .callSites(limit)
      .map((site) => site.getFileName())
      .find((name) => name && !/^node:|^<input>$/.test(name))

  /** Code of eval imports from the file that names eval. The engine knows a direct call by the function itself, so it can't be replaced. */
  // biome-ignore lint/security/noGlobalEval: it is passed on as it is
  const nativeEval = eval
  let evalFile
  Object.defineProperty(globalThis, 'eval', {
    get() {
      const file = here(5)
      if (file !== undefined && file !== evalFile) useEval((evalFile = file))
      return nativeEval
    },
    set(value) {
      Object.defineProperty(globalThis, 'eval', { value, writable: true, configurable: true, enumerable: false })
    },
    configurable: true,
    enumerable: false,
  })

  /** Functions made from text import from where they were made, as they do in Node. */
  function importsFrom(native, start) {
    function make(given, made) {
      // What `eval` imports has to be seen beforehand, where the engine can't be asked afterwards.
      const words = internal.isExact ? /\b(?:import|eval)\b/ : /\bimport\b/
      if (!given.some((part) => typeof part === 'string' && words.test(part))) return made
      const texts = given.map(String)
      const file = here()
      const name = file === undefined || file.startsWith('<') ? file || '<input>' : '<text in ' + file + '>'
      const body = texts.pop() || ''
      const result = evaluate('(' + start + ' anonymous(' + texts.join(',') + '\n) {\n' + body + '\n})', name)
      Object.setPrototypeOf(result, Object.getPrototypeOf(made))
      return result
    }
    const wrapped = new Proxy(native, {
      apply: (target, self, given) => make(given, Reflect.apply(target, self, given)),
      construct: (target, given, newTarget) =>
        make(given, Reflect.construct(target, given, newTarget === wrapped ? target : newTarget)),
    })
    Object.defineProperty(native.prototype, 'constructor', {
      value: wrapped,
      writable: native === Function,
      configurable: true,
      enumerable: false,
    })
    return wrapped
  }
  globalThis.Function = importsFrom(Function, 'function')
  importsFrom((async () => {}).constructor, 'async function')
  importsFrom(function* () {}.constructor, 'function*')
  importsFrom(async function* () {}.constructor, 'async function*')
})()
