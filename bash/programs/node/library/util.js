/** The module `util`. */
'use strict'
$polyfs.internal.define('util', ({ exported, builtin, internal }) => {
  const { inspect, format, formatWithOptions, is, classOf, withoutColors } = builtin('internal/inspect')
  const promisified = Symbol.for('nodejs.util.promisify.custom')

  function promisify(original) {
    if (typeof original !== 'function') throw internal.wrongType('original', 'of type function', original)
    if (original[promisified]) return original[promisified]
    const made = function (...given) {
      return new Promise((resolve, reject) => {
        original.call(this, ...given, (error, value) => (error ? reject(error) : resolve(value)))
      })
    }
    return Object.defineProperties(made, Object.getOwnPropertyDescriptors(original))
  }
  promisify.custom = promisified

  function callbackify(original) {
    return function (...given) {
      const done = given.pop()
      original.apply(this, given).then(
        (value) => internal.nextTick(done, null, value),
        (error) => internal.nextTick(done, error),
      )
    }
  }

  function inherits(type, parent) {
    Object.defineProperty(type, 'super_', { value: parent, writable: true, configurable: true })
    Object.setPrototypeOf(type.prototype, parent.prototype)
  }

  function deprecate(run, message, code) {
    let isWarned = false
    return function (...given) {
      if (!isWarned) {
        isWarned = true
        process.emitWarning(message, 'DeprecationWarning', code)
      }
      return run.apply(this, given)
    }
  }

  const enumerable = (value) => [
    ...Object.keys(value),
    ...Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key)),
  ]

  function equal(one, other, isStrict, seen = []) {
    // biome-ignore lint/suspicious/noDoubleEquals: it compares loosely, as Node does
    if (isStrict ? Object.is(one, other) : one == other || (Number.isNaN(one) && Number.isNaN(other))) return true
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
    if (isStrict && Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false
    if (classOf(one) !== classOf(other)) return false
    if (Array.isArray(one) !== Array.isArray(other)) return false
    if (seen.some(([left, right]) => left === one && right === other)) return true
    const deeper = [...seen, [one, other]]
    const same = (left, right) => equal(left, right, isStrict, deeper)
    if (is.date(one)) {
      if (one.getTime() !== other.getTime()) return false
    } else if (is.regexp(one)) {
      if (String(one) !== String(other) || one.lastIndex !== other.lastIndex) return false
    } else if (is.error(one)) {
      if (one.message !== other.message || one.name !== other.name) return false
    } else if (is.typedArray(one)) {
      if (one.length !== other.length || one.some((value, at) => !Object.is(value, other[at]))) return false
      return true
    } else if (is.arrayBuffer(one)) {
      return same(new Uint8Array(one), new Uint8Array(other))
    } else if (is.set(one)) {
      if (one.size !== other.size) return false
      const left = [...other]
      for (const value of one) {
        const at = left.findIndex((each) => same(value, each))
        if (at === -1) return false
        left.splice(at, 1)
      }
    } else if (is.map(one)) {
      if (one.size !== other.size) return false
      const left = [...other]
      for (const [key, value] of one) {
        const at = left.findIndex(([name, each]) => same(key, name) && same(value, each))
        if (at === -1) return false
        left.splice(at, 1)
      }
    } else if (is.number(one) || is.string(one) || is.boolean(one) || is.bigint(one)) {
      if (!Object.is(one.valueOf(), other.valueOf())) return false
    }
    if (Array.isArray(one) && one.length !== other.length) return false
    const keys = isStrict ? enumerable(one) : Object.keys(one)
    const others = isStrict ? enumerable(other) : Object.keys(other)
    if (keys.length !== others.length) return false
    return keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
  }
  internal.equal = equal

  const named = (name) => (value) => is.typedArray(value) && value[Symbol.toStringTag] === name
  const types = {
    isArrayBuffer: is.arrayBuffer,
    isAnyArrayBuffer: is.arrayBuffer,
    isArrayBufferView: ArrayBuffer.isView,
    isAsyncFunction: (value) => typeof value === 'function' && /Async/.test(classOf(value)),
    isBigInt64Array: named('BigInt64Array'),
    isBooleanObject: (value) => typeof value === 'object' && is.boolean(value),
    isBoxedPrimitive: (value) =>
      typeof value === 'object' &&
      value !== null &&
      (is.number(value) || is.string(value) || is.boolean(value) || is.bigint(value) || is.symbol(value)),
    isDataView: is.dataView,
    isDate: is.date,
    isFloat32Array: named('Float32Array'),
    isFloat64Array: named('Float64Array'),
    isGeneratorFunction: (value) => typeof value === 'function' && /Generator/.test(classOf(value)),
    isGeneratorObject: (value) => classOf(value) === 'Generator',
    isInt8Array: named('Int8Array'),
    isInt16Array: named('Int16Array'),
    isInt32Array: named('Int32Array'),
    isMap: is.map,
    isNativeError: is.error,
    isNumberObject: (value) => typeof value === 'object' && is.number(value),
    isPromise: is.promise,
    isRegExp: is.regexp,
    isSet: is.set,
    isStringObject: (value) => typeof value === 'object' && is.string(value),
    isSymbolObject: (value) => typeof value === 'object' && is.symbol(value),
    isTypedArray: is.typedArray,
    isUint8Array: named('Uint8Array'),
    isUint8ClampedArray: named('Uint8ClampedArray'),
    isUint16Array: named('Uint16Array'),
    isUint32Array: named('Uint32Array'),
    isWeakMap: is.weakMap,
    isWeakSet: is.weakSet,
  }
  for (const [name, test] of Object.entries(types))
    types[name] = (value) => value !== null && value !== undefined && test(value) === true

  function styleText(styles, text) {
    let shown = text
    for (const style of [styles].flat().reverse()) {
      const color = inspect.colors[style]
      if (color === undefined)
        throw new internal.NodeTypeError(
          'ERR_INVALID_ARG_VALUE',
          "The argument 'format' must be one of: " +
            Object.keys(inspect.colors)
              .map((name) => "'" + name + "'")
              .join(', ') +
            '. Received ' +
            inspect(style),
        )
      shown = '\u001b[' + color[0] + 'm' + shown + '\u001b[' + color[1] + 'm'
    }
    return shown
  }

  /** Arguments of a command, as declared. */
  function parseArgs({ args = process.argv.slice(2), options = {}, strict = true, allowPositionals = !strict } = {}) {
    const values = Object.create(null)
    const positionals = []
    const byLetter = new Map(
      Object.entries(options).flatMap(([name, option]) => (option.short ? [[option.short, name]] : [])),
    )
    const store = (name, value, shown) => {
      const option = options[name]
      if (strict && option === undefined) {
        throw new internal.NodeTypeError(
          'ERR_PARSE_ARGS_UNKNOWN_OPTION',
          "Unknown option '" +
            shown +
            "'" +
            (allowPositionals
              ? ". To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- \"" +
                shown +
                '"'
              : ''),
        )
      }
      if (option?.multiple) (values[name] = values[name] || []).push(value)
      else values[name] = value
    }
    const rest = [...args]
    while (rest.length > 0) {
      const arg = rest.shift()
      if (arg === '--') {
        positionals.push(...rest)
        break
      }
      if (arg.startsWith('--')) {
        const at = arg.indexOf('=')
        const name = at === -1 ? arg.slice(2) : arg.slice(2, at)
        const option = options[name]
        if (at !== -1) {
          if (strict && option && option.type === 'boolean')
            throw new internal.NodeTypeError(
              'ERR_PARSE_ARGS_INVALID_OPTION_VALUE',
              "Option '--" + name + "' does not take an argument",
            )
          store(name, arg.slice(at + 1), '--' + name)
        } else if (option && option.type === 'string') {
          if (rest.length === 0 || (strict && rest[0].startsWith('-') && rest[0] !== '-'))
            throw new internal.NodeTypeError(
              'ERR_PARSE_ARGS_INVALID_OPTION_VALUE',
              "Option '" + (option.short ? '-' + option.short + ', ' : '') + '--' + name + " <value>' argument missing",
            )
          store(name, rest.shift(), '--' + name)
        } else store(name, true, '--' + name)
      } else if (arg.startsWith('-') && arg !== '-') {
        const letter = arg[1]
        const name = byLetter.get(letter) || letter
        const option = options[name]
        if (option && option.type === 'string') {
          if (arg.length > 2) store(name, arg.slice(2), '-' + letter)
          else if (rest.length === 0)
            throw new internal.NodeTypeError(
              'ERR_PARSE_ARGS_INVALID_OPTION_VALUE',
              "Option '-" + letter + ', --' + name + " <value>' argument missing",
            )
          else store(name, rest.shift(), '-' + letter)
        } else {
          store(name, true, '-' + letter)
          if (arg.length > 2) rest.unshift('-' + arg.slice(2))
        }
      } else {
        if (!allowPositionals)
          throw new internal.NodeTypeError(
            'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL',
            "Unexpected argument '" + arg + "'. This command does not take positional arguments",
          )
        positionals.push(arg)
      }
    }
    for (const [name, option] of Object.entries(options)) {
      if (option.default !== undefined && values[name] === undefined) values[name] = option.default
    }
    return { values, positionals }
  }

  /** Variables as `.env` files have them. */
  function parseEnv(content) {
    if (typeof content !== 'string') throw internal.wrongType('content', 'of type string', content)
    const found = {}
    const line = /^[ \t]*(?:export[ \t]+)?([^=\n#]+?)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^\n#]*))/gm
    for (const [, name, double, single, back, plain] of content.replaceAll('\r\n', '\n').matchAll(line))
      found[name] = double !== undefined ? double.replaceAll('\\n', '\n') : (single ?? back ?? plain.trim())
    return found
  }

  Object.assign(exported, {
    parseEnv,
    inspect,
    format,
    formatWithOptions,
    promisify,
    callbackify,
    inherits,
    deprecate,
    types,
    styleText,
    parseArgs,
    isDeepStrictEqual: (one, other) => equal(one, other, true),
    stripVTControlCharacters: withoutColors,
    toUSVString: (text) => String(text).toWellFormed(),
    debuglog: () => Object.assign(() => {}, { enabled: false }),
    isArray: Array.isArray,
    TextEncoder: internal.TextEncoder,
    TextDecoder: internal.TextDecoder,
    getSystemErrorName: (errno) => ({ '-2': 'ENOENT', '-13': 'EACCES', '-17': 'EEXIST' })[errno],
  })
  exported.debug = exported.debuglog
})
$polyfs.internal.define('util/types', ({ builtin }) => builtin('util').types)
