/** The module `vm`. A context is a realm of the engine; what its object has and its globals are brought into line whenever code begins or ends in it. */
'use strict'
$polyfs.internal.define('vm', ({ exported, builtin, internal }) => {
  const constants = { USE_MAIN_CONTEXT_DEFAULT_LOADER: Symbol('vm_dynamic_import_main_context_default') }
  /** By their objects, and by their globals. */
  const contexts = new WeakMap()
  const unnamed = 'evalmachine.<anonymous>'

  function createContext(object = undefined, options = {}) {
    if (object !== undefined && (object === null || (typeof object !== 'object' && typeof object !== 'function')))
      throw internal.wrongType('object', 'of type object', object)
    if (object !== undefined && contexts.has(object)) return object
    if (typeof options !== 'object' || options === null) throw internal.wrongType('options', 'of type object', options)
    const { realm, global } = internal.makeRealm()
    prepare(realm, global)
    const context = {
      realm,
      global,
      object: object === undefined ? global : object,
      own: new Map(Reflect.ownKeys(global).map((key) => [key, descriptor(global, key)])),
      linked: new Set(),
      copied: new Map(),
    }
    contexts.set(context.object, context)
    contexts.set(global, context)
    link(context)
    return context.object
  }

  /** @returns {any} */
  const descriptor = (object, key) => Object.getOwnPropertyDescriptor(object, key)

  /** Gives a realm what the library gave the first one. */
  function prepare(realm, global) {
    const run = (source, name) => internal.evaluateIn(realm, source, name)
    for (const part of ['json', 'locale'])
      run(
        '(function ($polyfs) {' + internal.sys('part', part) + '\n})',
        'node:internal/' + part,
      )({ internal: { sys: internal.sys } })
    global.Error.prepareStackTrace = internal.prepareStack
    global.Error.stackTraceLimit = Error.stackTraceLimit
    global.Math.random = Math.random
    // It writes to an inspector, and there is none.
    const silent = Object.fromEntries(Object.keys(console).map((name) => [name, () => {}]))
    Object.defineProperty(global, 'console', { value: silent, writable: true, configurable: true, enumerable: false })
    for (const name of ['performance', 'navigator', 'queueMicrotask', 'DOMException', 'gc']) delete global[name]
  }

  /** Globals of the object: what reads and writes them goes to it. */
  function link(context) {
    const { global, object, linked, copied } = context
    if (object === global) return
    for (const key of linked) if (!Object.hasOwn(object, key)) unlink(context, key)
    for (const [key, value] of copied) {
      if (object[key] === value) continue
      global[key] = object[key]
      copied.set(key, object[key])
    }
    for (const key of Reflect.ownKeys(object)) if (!copied.has(key)) linkOne({ global, object, linked }, key)
  }
  function unlink({ global, linked, own }, key) {
    linked.delete(key)
    delete global[key]
    if (own.has(key)) Object.defineProperty(global, key, own.get(key))
  }
  function linkOne({ global, object, linked }, key) {
    if (linked.has(key)) return
    const there = descriptor(global, key)
    if (there !== undefined && !there.configurable) return
    linked.add(key)
    Object.defineProperty(global, key, {
      get: () => object[key],
      set(value) {
        object[key] = value
      },
      enumerable: Object.prototype.propertyIsEnumerable.call(object, key),
      configurable: true,
    })
  }

  /** Globals that a script declares are of the object before it runs: the engine makes them properties that can't be moved. */
  function declare(context, code) {
    const names = []
    if (context.object === context.global) return names
    for (const [, list] of code.matchAll(/\bvar\s+([^;=(){}\n]+)/g)) {
      for (const [name] of list.matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu)) {
        if (Object.hasOwn(context.global, name) || Object.hasOwn(context.object, name)) continue
        linkOne(context, name)
        names.push(name)
      }
    }
    return names
  }

  /** New globals become properties of the object. */
  function adopt(context, declared) {
    const { global, object, own, linked, copied } = context
    if (object === global) return
    for (const name of declared) if (!Object.hasOwn(object, name)) unlink(context, name)
    for (const key of Reflect.ownKeys(global)) {
      const found = descriptor(global, key)
      if (linked.has(key)) {
        if (found.get !== undefined || 'value' in found === false) continue
        linked.delete(key)
      } else if (own.has(key) && Object.is(own.get(key).value, found.value)) continue
      if (found.configurable) {
        // What replaces a class of the language by assignment is a property as any other.
        Object.defineProperty(object, key, own.has(key) ? { ...found, enumerable: true } : found)
        linkOne(context, key)
      } else if (!copied.has(key) || copied.get(key) !== global[key]) {
        object[key] = global[key]
        copied.set(key, global[key])
      }
    }
  }

  function contextOf(object) {
    const context = Object(object) === object ? contexts.get(object) : undefined
    if (context === undefined) throw internal.wrongType('contextifiedObject', 'an vm.Context', object)
    return context
  }

  function within(context, code, run) {
    link(context)
    const declared = declare(context, code)
    try {
      return run()
    } finally {
      adopt(context, declared)
    }
  }

  const settings = (options) => (typeof options === 'string' ? { filename: options } : options || {})
  /** Where the code begins in its file. */
  const placed = (code, { lineOffset = 0, columnOffset = 0 }) =>
    '\n'.repeat(Math.max(0, lineOffset)) + ' '.repeat(Math.max(0, columnOffset)) + code

  /** Code that names no loader imports nothing. */
  /** @param {{ filename?: any, importModuleDynamically?: any }} options */
  const nameOf = ({ filename = unnamed, importModuleDynamically: loader }) =>
    loader === constants.USE_MAIN_CONTEXT_DEFAULT_LOADER ? importer(String(filename)) : '<vm>' + filename
  /** Where the code imports from: what is not a path of a file stands for the working directory. */
  function importer(name) {
    if (name.startsWith('/')) return name
    return name.startsWith('file:') ? builtin('url').fileURLToPath(name) : '[eval]'
  }

  class Script {
    /** @type {any} */
    $
    constructor(code, options = {}) {
      const given = settings(options)
      if (given.filename !== undefined && typeof given.filename !== 'string')
        throw internal.wrongType('options.filename', 'of type string', given.filename)
      const text = placed(String(code), given)
      const name = nameOf(given)
      internal.sources.set(name, text)
      internal.evaluate(text, name, 'checkScript')
      const [, map] = /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(text) || []
      this.sourceMapURL = map
      if (given.cachedData !== undefined) this.cachedDataRejected = true
      Object.defineProperty(this, '$', { value: { text, name }, enumerable: false })
    }
    runInThisContext() {
      return internal.evaluate(this.$.text, this.$.name)
    }
    runInContext(object, _options) {
      const context = contextOf(object)
      return within(context, this.$.text, () => internal.evaluateIn(context.realm, this.$.text, this.$.name))
    }
    runInNewContext(object, options) {
      return this.runInContext(createContext(object === undefined ? {} : object, options))
    }
    /** Code is compiled anew wherever it runs: there is nothing to keep. */
    createCachedData() {
      return builtin('buffer').Buffer.alloc(0)
    }
  }

  function compileFunction(code, parameters = [], options = {}) {
    if (typeof code !== 'string') throw internal.wrongType('code', 'of type string', code)
    const name = nameOf({ filename: '', ...options })
    const head = '(function (' + parameters.join(',') + ') {'
    const text = placed(head + code + '\n})', options)
    internal.sources.set(name, code)
    internal.offsets.set(name, head.length)
    const { parsingContext } = options
    if (parsingContext === undefined) return internal.evaluate(text, name)
    const context = contextOf(parsingContext)
    return within(context, '', () => internal.evaluateIn(context.realm, text, name))
  }

  Object.assign(exported, {
    Script,
    createContext,
    createScript: (code, options) => new Script(code, options),
    runInContext: (code, object, options) => new Script(code, options).runInContext(object),
    runInNewContext: (code, object, options) => new Script(code, options).runInNewContext(object),
    runInThisContext: (code, options) => new Script(code, options).runInThisContext(),
    isContext(object) {
      if (Object(object) !== object) throw internal.wrongType('object', 'of type object', object)
      return contexts.has(object)
    },
    compileFunction,
    measureMemory() {
      throw new Error('vm.measureMemory is not supported by this shell')
    },
    constants,
  })
})
