/** Modules of CommonJS, the start of a script, and its end. Runs inside the engine. */
export const boot = String.raw`
(function () {
  'use strict'
  const { internal } = $polyfs
  const compile = globalThis.compile
  const peek = globalThis.peek
  delete globalThis.compile
  delete globalThis.peek
  const begun = {}
  internal.elapsed = () => internal.sys('elapsed')
  internal.promiseState = (promise) => peek(promise)

  /** Compiles and runs a script; what it throws is thrown. */
  function evaluate(source, name, flag = 'script') {
    const result = compile(source, name, flag)
    if (result.isError) throw result.value
    return result.value
  }
  internal.checkSyntax = (source) => evaluate('(function () {' + source + '\n})', 'evalmachine.<anonymous>')

  function Module(id, parent) {
    this.id = id
    this.path = internal.builtin('path').dirname(id)
    this.exports = {}
    this.filename = id
    this.loaded = false
    this.children = []
    this.paths = []
    Object.defineProperty(this, 'parent', { value: parent, writable: true, configurable: true, enumerable: false })
  }
  internal.Module = Module
  Module._cache = Object.create(null)
  Module._extensions = Object.create(null)
  Module.wrap = (source) => '(function (exports, require, module, __filename, __dirname) { ' + source + '\n});'
  Module._extensions['.js'] = Module._extensions['.json'] = Module._extensions['.node'] = function () {}
  let main

  function notFound(request, from, stack) {
    const list = from.length > 0 && !from.startsWith('[') ? '\nRequire stack:\n' + stack.map((each) => '- ' + each).join('\n') : ''
    const hint = /^(?:node:)?[a-z_0-9/]+$/.test(request) && builtinsOfNode.includes(request.replace(/^node:/, '')) ? '\nThis shell has the built-in modules ' + internal.builtinNames().join(', ') : ''
    const error = new Error("Cannot find module '" + request + "'" + list + hint)
    error.code = 'MODULE_NOT_FOUND'
    error.requireStack = stack
    return error
  }
  const builtinsOfNode = 'cluster dgram diagnostics_channel dns dns/promises domain http http2 https inspector inspector/promises net punycode repl sqlite test/reporters tls trace_events wasi worker_threads zlib sys stream/web stream/consumers sea'.split(' ')

  function stackOf(module) {
    const list = []
    for (let at = module; at; at = at.parent) if (at.filename) list.push(at.filename)
    return list
  }

  function find(request, from, module) {
    if (typeof request !== 'string') throw internal.wrongType('id', 'of type string', request)
    if (request === '') throw new internal.NodeTypeError('ERR_INVALID_ARG_VALUE', "The argument 'id' must be a non-empty string. Received ''")
    try {
      return internal.call('find', request, from)
    } catch (error) {
      if (error.$code === 'UNKNOWN_BUILTIN') {
        const name = request.replace(/^node:/, '')
        if (builtinsOfNode.includes(name)) throw notFound(request, from, stackOf(module))
        throw new internal.NodeError('ERR_UNKNOWN_BUILTIN_MODULE', 'No such built-in module: ' + request)
      }
      if (error.$code === 'EXPORTS') {
        throw new internal.NodeError('ERR_PACKAGE_PATH_NOT_EXPORTED', "Package subpath of '" + request + "' is not defined by \"exports\"")
      }
      if (error.$code !== undefined) throw notFound(request, from, stackOf(module))
      throw error
    }
  }

  internal.makeRequire = function makeRequire(file, module) {
    const paths = internal.builtin('path')
    const from = file.startsWith('[') ? process.cwd() : paths.dirname(file)
    const own = module || new Module(file)
    function require(request) {
      const found = find(request, from, own)
      return found.format === 'builtin' ? internal.builtin(found.path) : loadFile(found.path, found.format, own)
    }
    require.resolve = (request, options) => {
      const base = options && options.paths && options.paths.length > 0 ? paths.resolve(options.paths[0]) : from
      const found = find(request, base, own)
      return found.format === 'builtin' ? request : found.path
    }
    require.resolve.paths = (request) => (internal.hasBuiltin(request) ? null : own.paths)
    require.main = main
    require.cache = Module._cache
    require.extensions = Module._extensions
    own.require = require
    return require
  }
  Module.prototype.require = function (request) {
    return internal.makeRequire(this.filename, this)(request)
  }

  function loadFile(path, format, parent) {
    const known = Module._cache[path]
    if (known !== undefined) {
      if (parent && !parent.children.includes(known)) parent.children.push(known)
      return known.exports
    }
    if (format === 'module') {
      const error = new internal.NodeError('ERR_REQUIRE_ESM', 'require() of ES Module ' + path + ' from ' + (parent && parent.filename) + ' not supported.\nInstead change the require of ' + internal.builtin('path').basename(path) + ' in ' + (parent && parent.filename) + ' to a dynamic import() which is available in all CommonJS modules.')
      throw error
    }
    const module = new Module(path, parent)
    if (parent) parent.children.push(module)
    Module._cache[path] = module
    let isDone = false
    try {
      runFile(module, path, format)
      isDone = true
    } finally {
      if (!isDone) delete Module._cache[path]
    }
    module.loaded = true
    return module.exports
  }

  function runFile(module, path, format) {
    const text = internal.call('readText', path).replace(/^\ufeff/, '')
    if (format === 'json') {
      try {
        module.exports = JSON.parse(text)
      } catch (error) {
        error.message = path + ': ' + error.message
        throw error
      }
      return
    }
    const run = compiled(text, path)
    run.call(module.exports, module.exports, internal.makeRequire(path, module), module, path, internal.builtin('path').dirname(path))
  }

  const wrapper = '(function $main(exports, require, module, __filename, __dirname) {'
  function compiled(text, path) {
    const source = text.startsWith('#!') ? '//' + text : text
    internal.sources.set(path, text)
    internal.offsets.set(path, wrapper.length + (source.length - text.length))
    return evaluate(wrapper + source + '\n})', path)
  }
  Module.prototype._compile = function (text, path) {
    return compiled(text, path).call(this.exports, this.exports, internal.makeRequire(path, this), this, path, internal.builtin('path').dirname(path))
  }

  $polyfs.builtin = internal.builtin
  $polyfs.requireFile = (path) => loadFile(path, 'commonjs', undefined)
  $polyfs.fillMeta = (meta, path, url, offset) => {
    internal.modulePaths.add(path)
    internal.offsets.set(path, offset)
    meta.dirname = internal.builtin('path').dirname(path)
    meta.filename = path
    meta.resolve = (specifier) => {
      const found = find(specifier, meta.dirname)
      return found.format === 'builtin' ? 'node:' + found.path : internal.builtin('url').pathToFileURL(found.path).href
    }
    meta.url = url
  }

  /** Prints an error that nobody caught, as Node does. */
  function report(error, note) {
    const { inspect } = internal.builtin('util')
    let text = ''
    const isError = error instanceof Error
    const place = isError ? placeOf(error) : internal.lastSite && undefined
    if (place) {
      const source = internal.sources.get(place.file)
      const line = source === undefined ? undefined : source.split('\n')[place.line - 1]
      const file = place.isModule ? 'file://' + place.file : place.file
      if (line !== undefined) text += file + ':' + place.line + '\n' + line + '\n' + caret(line, place, error) + '\n\n'
    }
    if (!isError && note === undefined) text = 'Uncaught:\n'
    if (isError) text += inspect(error)
    else text += note === undefined ? inspect(error) : note(inspect(error))
    process.stderr.write(text + '\n' + (isError || note !== undefined ? '' : '(Use ' + String.fromCharCode(96) + 'node --trace-uncaught ...' + String.fromCharCode(96) + ' to show where the exception was thrown)\n') + '\nNode.js ' + process.version + '\n')
  }
  function placeOf(error) {
    for (const line of String(error.stack).split('\n')) {
      const found = /^    at (?:async )?(?:.*\()?(?:file:\/\/)?([^()]+):(\d+):(\d+)\)?$/.exec(line)
      if (found && hasSource(found[1])) return { file: found[1], line: Number(found[2]), column: Number(found[3]), isModule: internal.modulePaths.has(found[1]) }
    }
    return undefined
  }
  function hasSource(file) {
    if (internal.sources.has(file)) return true
    if (!file.startsWith('/')) return false
    try {
      internal.sources.set(file, internal.call('readText', file))
      return true
    } catch (error) {
      if (error.$code === undefined) throw error
      return false
    }
  }
  function caret(line, place, error) {
    const thrown = /^\s*(?:.*?\b)?(throw\b)/.exec(line)
    const at = thrown && !(error instanceof SyntaxError) ? line.indexOf('throw') : Math.max(0, place.column - 1)
    return ' '.repeat(Math.min(at, line.length)) + '^'
  }

  /** Runs code of the script: what it throws goes to its handlers, or ends it. */
  function guarded(run) {
    try {
      return run()
    } catch (error) {
      uncaught(error)
      return undefined
    }
  }
  function uncaught(error, note) {
    if (error instanceof Error && error.code === 'ERR_MODULE_NOT_FOUND') error.code = 'ERR_MODULE_NOT_FOUND'
    if (process.listenerCount('uncaughtException') > 0) {
      guarded(() => process.emit('uncaughtException', error, note === undefined ? 'uncaughtException' : 'unhandledRejection'))
      return
    }
    if (error instanceof InternalError && error.message === 'out of memory') {
      process.stderr.write('\nFATAL ERROR: JavaScript heap out of memory\n')
      return void internal.sys('exit', 134)
    }
    report(error, note)
    process.exitCode = 1
    internal.leave()
  }
  internal.leave = () => {
    if (!internal.isLeaving) {
      internal.isLeaving = true
      const code = process.exitCode === undefined ? 0 : process.exitCode
      guardedEnd(() => process.emit('exit', Number(code)))
    }
    const code = process.exitCode === undefined ? 0 : process.exitCode
    internal.sys('exit', Number(code) & 0xff)
  }
  function guardedEnd(run) {
    try {
      run()
    } catch (error) {
      report(error)
      process.exitCode = 7
    }
  }

  $polyfs.rejected = (reason, promise) => {
    if (process.listenerCount('unhandledRejection') > 0) return void guarded(() => process.emit('unhandledRejection', reason, promise))
    if (reason instanceof Error) return void uncaught(reason, (text) => text)
    const code = String.fromCharCode(96)
    uncaught(reason, (text) => 'node:internal/process/promises:394\n      triggerUncaughtException(err, true /* fromPromise */);\n      ^\n\n[UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "' + (typeof reason === 'object' && reason !== null ? '#<' + (reason.constructor ? reason.constructor.name : 'Object') + '>' : String(reason)) + '".] {\n  code: ' + "'ERR_UNHANDLED_REJECTION'" + '\n}')
  }
  $polyfs.ticks = () => {
    internal.flush()
    if (!internal.hasTicks()) return false
    while (internal.hasTicks()) guarded(() => internal.runTicks())
    internal.flush()
    return true
  }
  /** Runs the next task: true, or milliseconds to wait, or the end. */
  $polyfs.next = () => {
    const result = guarded(() => {
      const ran = internal.runTask()
      return ran === undefined ? 'idle' : ran
    })
    if (result !== 'idle') return result
    if (!internal.isEnding) {
      internal.isEnding = true
      guarded(() => process.emit('beforeExit', process.exitCode || 0))
      return true
    }
    internal.isEnding = false
    if (internal.hasWork) return true
    internal.leave()
    return true
  }

  function addGlobals() {
    const timers = internal.builtin('internal/timers')
    const { URL, URLSearchParams } = internal.builtin('url')
    const values = {
      console: internal.builtin('console'),
      setTimeout: timers.setTimeout,
      setInterval: timers.setInterval,
      setImmediate: timers.setImmediate,
      clearTimeout: timers.clearTimeout,
      clearInterval: timers.clearInterval,
      clearImmediate: timers.clearImmediate,
      Buffer: internal.builtin('buffer').Buffer,
      process: internal.builtin('process'),
      URL,
      URLSearchParams,
      TextEncoder: internal.TextEncoder,
      TextDecoder: internal.TextDecoder,
      structuredClone,
      global: globalThis,
      crypto: (internal.builtin('crypto'), internal.webcrypto),
      performance: internal.performance,
      ...internal.events,
    }
    for (const [name, value] of Object.entries(values)) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: ['global', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'clearImmediate', 'structuredClone', 'performance', 'crypto'].includes(name) })
    Object.defineProperty(globalThis, Symbol.toStringTag, { value: 'global', configurable: true })
  }

  function structuredClone(value, options, seen = new Map()) {
    if (typeof value === 'function' || typeof value === 'symbol') throw new DOMException(String(value) + ' could not be cloned.', 'DataCloneError')
    if (value === null || typeof value !== 'object') return value
    if (seen.has(value)) return seen.get(value)
    const { is } = internal.builtin('internal/inspect')
    const keep = (made) => {
      seen.set(value, made)
      return made
    }
    const copy = (each) => structuredClone(each, undefined, seen)
    if (is.date(value)) return keep(new Date(value.getTime()))
    if (is.regexp(value)) return keep(new RegExp(value.source, value.flags))
    if (is.map(value)) {
      const made = keep(new Map())
      for (const [key, each] of value) made.set(copy(key), copy(each))
      return made
    }
    if (is.set(value)) {
      const made = keep(new Set())
      for (const each of value) made.add(copy(each))
      return made
    }
    if (is.arrayBuffer(value)) return keep(value.slice(0))
    if (is.typedArray(value)) return keep(new (globalThis[value[Symbol.toStringTag]])(value))
    if (is.error(value)) {
      const made = keep(new (globalThis[value.name] || Error)(value.message))
      Object.defineProperty(made, 'stack', { value: value.stack, writable: true, configurable: true })
      return made
    }
    if (is.weakMap(value) || is.weakSet(value) || is.promise(value)) throw new DOMException('#<' + value.constructor.name + '> could not be cloned.', 'DataCloneError')
    if (is.number(value) || is.string(value) || is.boolean(value)) return keep(Object(value.valueOf()))
    const made = keep(Array.isArray(value) ? new Array(value.length) : {})
    for (const key of Object.keys(value)) made[key] = copy(value[key])
    return made
  }

  internal.performance = {
    now: () => internal.elapsed(),
    get timeOrigin() {
      return begun.time
    },
    mark: (name) => ({ name, entryType: 'mark', startTime: internal.elapsed(), duration: 0 }),
    measure: (name) => ({ name, entryType: 'measure', startTime: 0, duration: internal.elapsed() }),
    toJSON: () => ({ timeOrigin: begun.time }),
  }

  /** The same numbers in every run of the same start. */
  function seeded([a, b, c, d]) {
    const next = () => {
      const t = b << 9
      let result = a * 5
      result = ((result << 7) | (result >>> 25)) * 9
      c ^= a
      d ^= b
      b ^= c
      a ^= d
      c ^= t
      d = (d << 11) | (d >>> 21)
      return result >>> 0
    }
    const random = () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53
    Object.defineProperty(random, 'name', { value: 'random' })
    Math.random = random
  }

  $polyfs.start = (given) => {
    Object.assign(begun, given)
    begun.time = Date.now()
    seeded(given.seed)
    internal.umask = given.umask
    internal.setDirectory(given.cwd)
    process.env = environment(given.env)
    const paths = internal.builtin('path')
    const file = given.from === 'file' ? paths.resolve(given.file) : undefined
    process.argv = ['/usr/bin/node', ...(file === undefined ? (given.from === 'stdin' && given.args.length > 0 ? ['-'] : []) : [file]), ...given.args]
    guarded(() => {
      for (const name of given.preload) internal.makeRequire(process.cwd() + '/[preload]')(name)
      if (file !== undefined) startFile(file, given)
      else startCode(given)
    })
    return true
  }

  /** Values are always text, as in the environment of a process. */
  function environment(given) {
    return new Proxy({ ...given }, {
      set(target, name, value) {
        target[name] = String(value)
        return true
      },
      defineProperty(target, name, descriptor) {
        return Reflect.defineProperty(target, name, { ...descriptor, value: String(descriptor.value) })
      },
    })
  }

  function startFile(file, given) {
    let found
    try {
      found = internal.call('find', file, '/')
    } catch (error) {
      if (error.$code === undefined) throw error
      const missing = notFound(file, '', [])
      process.stderr.write('node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\n' + internal.builtin('util').inspect(missing).replace(/\n    at .*/g, '') + '\n\nNode.js ' + process.version + '\n')
      process.exitCode = 1
      return internal.leave()
    }
    process.argv[1] = file
    if (given.check) {
      const text = internal.call('readText', found.path)
      internal.sources.set(found.path, text)
      if (found.format === 'module') evaluate(text.replace(/^#!/, '//'), found.path, 'check')
      else if (found.format === 'commonjs') compiled(text, found.path)
      return
    }
    if (found.format === 'module') return importMain(found.path)
    main = new Module(found.path)
    main.id = '.'
    process.mainModule = main
    Module._cache[found.path] = main
    runFile(main, found.path, found.format)
    main.loaded = true
  }

  function importMain(name) {
    import(name).then(undefined, (error) => uncaught(error))
  }
  internal.importFrom = (name) => import(name)

  function startCode(given) {
    const name = given.from === 'eval' ? '[eval]' : '[stdin]'
    const code = given.code
    if (given.isModule) {
      if (given.print) throw new internal.NodeError('ERR_EVAL_ESM_CANNOT_PRINT', '--print cannot be used with ESM input')
      return importMain('[eval1]')
    }
    internal.sources.set(name, code)
    const module = new Module(name)
    module.filename = process.cwd() + '/' + name
    module.path = '.'
    const require = internal.makeRequire(name, module)
    for (const [key, value] of Object.entries({ require, module, exports: module.exports, __filename: name, __dirname: '.' })) {
      Object.defineProperty(globalThis, key, { value, writable: true, configurable: true, enumerable: false })
    }
    for (const builtin of internal.builtinNames()) {
      if (builtin.includes('/') || Object.hasOwn(globalThis, builtin)) continue
      Object.defineProperty(globalThis, builtin, {
        configurable: true,
        enumerable: false,
        get: () => internal.builtin(builtin),
        set: (value) => Object.defineProperty(globalThis, builtin, { value, writable: true, configurable: true, enumerable: true }),
      })
    }
    if (given.check) return void evaluate('(function () {' + code + '\n})', name)
    const result = evaluate(code, name)
    if (given.print) console.log(result)
  }

  /** The names that each module exports, for import. */
  $polyfs.names = () => {
    const names = {}
    for (const name of internal.builtinNames()) names[name] = Object.keys(internal.builtin(name))
    return JSON.stringify(names)
  }
  addGlobals()
  $polyfs.names()
})()
`
