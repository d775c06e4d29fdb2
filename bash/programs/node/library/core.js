/** What the parts of the library share: calls to the host, the registry of modules, and errors. */
'use strict'
;(() => {
  /** @type {Sys} */
  const ask = globalThis.sys
  delete globalThis.sys

  /** Calls that output need not be written before. */
  const quiet = new Set('encode decode digest zone zoneName elapsed clock part zlib crc32 url changeUrl'.split(' '))
  let pending = ''
  let pendingOn = 1
  function sys(operation, ...given) {
    if (pending !== '' && !quiet.has(operation)) flush()
    return ask(operation, ...given)
  }
  function flush() {
    const text = pending
    pending = ''
    if (text !== '') ask('out', pendingOn, text)
  }
  const factories = new Map()
  const loaded = new Map()
  /** @type {Internal} The other parts set the rest. */
  const internal = /** @type {any} */ ({ sys, flush })

  /** Text is collected, because each call to the host costs more than printing a line. */
  internal.print = function print(descriptor, text) {
    if (descriptor !== pendingOn) flush()
    pendingOn = descriptor
    pending += text
    if (pending.length > 8192) flush()
  }

  internal.define = function define(name, factory) {
    factories.set(name, factory)
  }

  /** Modules of parts of the library that are loaded with the first of them: most scripts need none. */
  const late = new Map()
  internal.defineLate = function defineLate(part, names) {
    for (const name of names) late.set(name, part)
  }

  internal.builtin = function builtin(name) {
    const known = loaded.get(name)
    if (known !== undefined) return known.exported
    if (!factories.has(name)) internal.evaluate(sys('part', late.get(name)), 'node:internal/' + late.get(name))
    const entry = { exported: {} }
    loaded.set(name, entry)
    const made = factories.get(name)({ exported: entry.exported, builtin, internal })
    if (made !== undefined) entry.exported = made
    return entry.exported
  }

  const isPublic = (name) => !name.startsWith('internal/')
  internal.hasBuiltin = (name) => (factories.has(name) || late.has(name)) && isPublic(name)
  internal.builtinNames = () => [...new Set([...factories.keys(), ...late.keys()])].filter(isPublic).sort()
  internal.isLate = (name) => late.has(name) && !factories.has(name)

  /** Calls the host; a failure comes back as an object with its code. */
  internal.call = function call(operation, ...given) {
    const result = sys(operation, ...given)
    if (result !== null && typeof result === 'object' && result.$fail !== undefined) {
      const error = new Error(result.$fail)
      error.$code = result.$fail
      error.$given = result
      throw error
    }
    return result
  }

  /** A class of errors with a code, as Node's own errors have. */
  function coded(Base) {
    return class extends Base {
      constructor(code, message) {
        super(message)
        Object.defineProperty(this, 'code', { value: code, enumerable: true, writable: true, configurable: true })
        const header = this.name + ' [' + code + ']: ' + message
        const [frames = ''] = /(?:\n {4}at .*)*$/.exec(String(this.stack)) || []
        Object.defineProperty(this, 'stack', {
          value: header + frames,
          writable: true,
          configurable: true,
        })
      }
      toString() {
        return this.name + ' [' + this.code + ']: ' + this.message
      }
      // biome-ignore lint/complexity/useLiteralKeys: without brackets it would be the constructor of the class
      get ['constructor']() {
        return Base
      }
    }
  }
  internal.NodeError = coded(Error)
  internal.NodeTypeError = coded(TypeError)
  internal.NodeRangeError = coded(RangeError)
  internal.NodeSyntaxError = coded(SyntaxError)

  internal.describe = function describe(value) {
    if (value == null) return ' Received ' + value
    if (typeof value === 'function') return ' Received function ' + value.name
    if (typeof value === 'object') {
      if (value.constructor?.name) return ' Received an instance of ' + value.constructor.name
      return ' Received ' + internal.builtin('util').inspect(value, { depth: -1 })
    }
    let shown = internal.builtin('util').inspect(value, { colors: false })
    if (shown.length > 28) shown = shown.slice(0, 25) + '...'
    return ' Received type ' + typeof value + ' (' + shown + ')'
  }
  internal.wrongType = function wrongType(name, expected, value) {
    const kind = name.includes('.') ? 'property' : 'argument'
    return new internal.NodeTypeError(
      'ERR_INVALID_ARG_TYPE',
      'The "' + name + '" ' + kind + ' must be ' + expected + '.' + internal.describe(value),
    )
  }

  Object.defineProperty(globalThis, '$polyfs', {
    value: { internal, unwritten: () => pendingOn + pending },
    configurable: true,
  })
})()
