/** The start of a script, and its end. */
'use strict'
;(() => {
  const { internal } = $polyfs
  const { evaluate } = internal
  const begun = {}
  internal.elapsed = () => internal.sys('elapsed')
  $polyfs.builtin = internal.builtin

  /** Prints an error that nobody caught, as Node does. */
  function report(error) {
    const { inspect } = internal.builtin('util')
    let text = ''
    const isError = internal.builtin('internal/inspect').is.error(error)
    const place = isError ? placeOf(error) : internal.lastSite && undefined
    if (place) {
      const line = internal.lineAt(place.file, place.line)
      const file = place.isModule ? 'file://' + place.file : place.file
      if (line !== undefined) text += file + ':' + place.line + '\n' + line + '\n' + caret(line, place, error) + '\n\n'
    }
    if (!isError) text = 'Uncaught:\n'
    // Where calls nest too deep, there was no room for a stack.
    if (isError) text += error.stack ? inspect(error) : String(error)
    else text += inspect(error)
    process.stderr.write(
      text +
        '\n' +
        (Object(error) === error ? '' : '(Use `node --trace-uncaught ...` to show where the exception was thrown)\n') +
        '\nNode.js ' +
        process.version +
        '\n',
    )
  }
  function placeOf(error) {
    for (const line of String(error.stack).split('\n')) {
      const found = /^ {4}at (?:async )?(?:.*\()?(?:file:\/\/)?([^()]+):(\d+):(\d+)\)?$/.exec(line)
      if (found && hasSource(found[1]))
        return {
          file: found[1],
          line: Number(found[2]),
          column: Number(found[3]),
          isModule: internal.modulePaths.has(found[1]),
        }
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
  function uncaught(error, origin = 'uncaughtException') {
    if (process.listenerCount('uncaughtException') > 0) {
      try {
        process.emit('uncaughtExceptionMonitor', error, origin)
        return void process.emit('uncaughtException', error, origin)
      } catch (second) {
        report(second)
        internal.sys('exit', 7)
      }
    }
    if (error instanceof InternalError && error.message === 'out of memory') {
      process.stderr.write('\nFATAL ERROR: JavaScript heap out of memory\n')
      internal.sys('exit', 134)
    }
    if (!isLeaving) {
      isLeaving = true
      process.exitCode = 1
      try {
        process.emit('exit', 1)
      } catch {
        // Nobody reports what fails now: the first error is reported.
      }
    }
    report(error)
    internal.sys('exit', codeOr(1))
  }
  let isLeaving = false
  const codeOr = (other) => Number(process.exitCode === undefined ? other : process.exitCode) & 0xff

  /** Ends the script, unless a handler of its end throws. */
  internal.leave = () => {
    if (!isLeaving) {
      isLeaving = true
      process.emit('exit', process.exitCode === undefined ? 0 : Number(process.exitCode))
    }
    internal.sys('exit', codeOr(0))
  }

  $polyfs.rejected = (reason, promise) => {
    if (process.listenerCount('unhandledRejection') > 0)
      return void guarded(() => process.emit('unhandledRejection', reason, promise))
    uncaught(internal.builtin('internal/inspect').is.error(reason) ? reason : unhandled(reason), 'unhandledRejection')
  }
  function unhandled(reason) {
    const shown =
      typeof reason === 'object' && reason !== null
        ? '#<' + (reason.constructor ? reason.constructor.name : 'Object') + '>'
        : String(reason)
    const error = new internal.NodeError(
      'ERR_UNHANDLED_REJECTION',
      'This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "' +
        shown +
        '".',
    )
    error.name = 'UnhandledPromiseRejection'
    error.stack =
      error.name + ': ' + error.message + '\n    at throwUnhandledRejectionsMode (node:internal/process/promises:389:7)'
    Object.defineProperty(error, 'name', { enumerable: false })
    return error
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
      return ran === true ? ran : internal.nextCommand() || (ran === undefined ? 'idle' : ran)
    })
    if (result !== 'idle') return result
    const server = internal.waitingServer?.()
    if (server !== undefined) {
      process.stderr.write(
        'node: a server listens on ' +
          server +
          ', which only this script can reach, and the script has nothing left to do\n',
      )
      internal.sys('exit', 1)
    }
    if (!internal.isEnding) {
      internal.isEnding = true
      guarded(() => process.emit('beforeExit', process.exitCode || 0))
      return true
    }
    internal.isEnding = false
    guarded(internal.leave)
    return true
  }

  const then = Promise.prototype.then
  function queueMicrotask(run) {
    if (typeof run !== 'function') throw internal.wrongType('callback', 'of type function', run)
    Reflect.apply(then, Promise.resolve(), [() => guarded(run)])
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
      queueMicrotask,
      global: globalThis,
      crypto: internal.builtin('crypto').webcrypto,
      performance: internal.performance,
      fetch: (input) => internal.builtin('internal/fetch')(input),
      ...internal.events,
    }
    for (const [name, value] of Object.entries(values))
      Object.defineProperty(globalThis, name, {
        value,
        writable: true,
        configurable: true,
        enumerable: [
          'global',
          'setTimeout',
          'setInterval',
          'setImmediate',
          'clearTimeout',
          'clearInterval',
          'clearImmediate',
          'structuredClone',
          'queueMicrotask',
          'performance',
          'crypto',
        ].includes(name),
      })
    Object.defineProperty(globalThis, Symbol.toStringTag, { value: 'global', configurable: true })
  }

  function structuredClone(value, _options, seen = new Map()) {
    if (typeof value === 'function' || typeof value === 'symbol')
      throw new DOMException(String(value) + ' could not be cloned.', 'DataCloneError')
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
    if (is.typedArray(value)) return keep(new globalThis[value[Symbol.toStringTag]](value))
    if (is.error(value)) {
      const made = keep(new (globalThis[value.name] || Error)(value.message))
      Object.defineProperty(made, 'stack', { value: value.stack, writable: true, configurable: true })
      return made
    }
    if (is.weakMap(value) || is.weakSet(value) || is.promise(value))
      throw new DOMException('#<' + value.constructor.name + '> could not be cloned.', 'DataCloneError')
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
    internal.testOptions = given.test
    process.execArgv = given.execArgv
    process.argv = [
      '/usr/bin/node',
      ...(file === undefined ? (given.from === 'stdin' && given.args.length > 0 ? ['-'] : []) : [file]),
      ...given.args,
    ]
    guarded(() => {
      for (const name of given.envFiles) loadVariables(name)
      for (const name of given.preload) internal.Module.createRequire(process.cwd() + '/[preload]')(name)
      const begin = () => {
        if (given.from === 'tests') internal.builtin('internal/test-run').runCommandLine()
        else if (file !== undefined) startFile(file, given)
        else startCode(given)
      }
      // Those of the runner of tests are for its tests.
      if (given.imported.length > 0 && given.from !== 'tests') importFirst(given.imported, begin)
      else begin()
    })
    return true
  }

  function importFirst(names, begin) {
    const base = process.cwd() + '/[import]'
    // What the library imports is taken as it is: the name of a module that was found.
    const all = names.reduce(
      (before, name) => before.then(() => import(internal.askImport(name, base).path)),
      Promise.resolve(),
    )
    all.then(
      () => guarded(begin),
      (error) => uncaught(error),
    )
  }

  /** Variables of a file, as `--env-file` reads them; those that are there already stay. */
  function loadVariables(name) {
    let text
    try {
      text = internal.call('readText', internal.builtin('path').resolve(name))
    } catch (error) {
      if (error.$code === undefined) throw error
      process.stderr.write('node: ' + name + ': not found\n')
      internal.sys('exit', 9)
    }
    for (const [key, value] of Object.entries(internal.builtin('util').parseEnv(text)))
      if (process.env[key] === undefined) process.env[key] = value
  }

  /** Values are always text, as in the environment of a process. */
  function environment(given) {
    return new Proxy(
      { ...given },
      {
        set(target, name, value) {
          target[name] = String(value)
          return true
        },
        defineProperty(target, name, descriptor) {
          return Reflect.defineProperty(target, name, { ...descriptor, value: String(descriptor.value) })
        },
      },
    )
  }

  function startFile(file, given) {
    let found
    try {
      found = internal.call('main', file)
    } catch (error) {
      if (error.$given === undefined) throw error
      if (error.$code !== 'MODULE_NOT_FOUND') throw internal.moduleFailure(error.$given)
      const missing = internal.moduleNotFound(file, [])
      process.stderr.write(
        'node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\n' +
          internal
            .builtin('util')
            .inspect(missing)
            .replace(/\n {4}at .*/g, '') +
          '\n\nNode.js ' +
          process.version +
          '\n',
      )
      process.exitCode = 1
      return internal.leave()
    }
    process.argv[1] = file
    if (given.check) return check(found)
    if (found.format === 'module') internal.importMain(found.path)
    else internal.runMain(found.path, found.format)
  }

  function check({ path, format }) {
    const text = internal.readModule(path)
    internal.sources.set(path, text)
    if (format === 'module' || (format === 'ambiguous' && internal.isModuleFile(text)))
      evaluate(text.replace(/^#!/, '//'), path, 'check')
    else if (format !== 'json') internal.compileFile(text, path)
  }

  internal.importMain = (name) => {
    import(name).then(undefined, (error) => uncaught(error))
  }

  function startCode(given) {
    const name = given.from === 'eval' ? '[eval]' : '[stdin]'
    const code = given.code
    if (given.inputType === 'module' || (given.inputType === undefined && evaluate(code, '', 'isModule'))) {
      if (given.print)
        throw new internal.NodeError('ERR_EVAL_ESM_CANNOT_PRINT', '--print cannot be used with ESM input')
      return internal.importMain('[eval1]')
    }
    internal.sources.set(name, code)
    const module = new internal.Module(name)
    module.filename = process.cwd() + '/' + name
    module.path = '.'
    module.paths = internal.Module._nodeModulePaths(process.cwd())
    const require = internal.makeRequire(module)
    for (const [key, value] of Object.entries({
      require,
      module,
      exports: module.exports,
      __filename: name,
      __dirname: '.',
    })) {
      Object.defineProperty(globalThis, key, { value, writable: true, configurable: true, enumerable: false })
    }
    for (const builtin of internal.builtinNames()) {
      if (builtin.includes('/') || builtin === 'test' || Object.hasOwn(globalThis, builtin)) continue
      Object.defineProperty(globalThis, builtin, {
        configurable: true,
        enumerable: false,
        get: () => internal.builtin(builtin),
        set: (value) =>
          Object.defineProperty(globalThis, builtin, { value, writable: true, configurable: true, enumerable: true }),
      })
    }
    if (given.check) return void evaluate('(function () {' + code + '\n})', name)
    const result = evaluate(code, name)
    if (given.print) console.log(result)
  }

  /** The names that each module exports, for import; null for those that are loaded late. */
  $polyfs.names = () => {
    const names = {}
    for (const name of internal.builtinNames())
      names[name] = internal.isLate(name) ? null : Object.keys(internal.builtin(name))
    return JSON.stringify(names)
  }
  $polyfs.namesOf = (name) => JSON.stringify(Object.keys(internal.builtin(name)))
  addGlobals()
  $polyfs.names()
})()
