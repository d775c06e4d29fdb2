/** `util.inspect` and `util.format`. */
'use strict'
$polyfs.internal.define('internal/inspect', ({ exported, internal }) => {
  const custom = Symbol.for('nodejs.util.inspect.custom')
  const defaults = {
    showHidden: false,
    depth: 2,
    colors: false,
    customInspect: true,
    showProxy: false,
    maxArrayLength: 100,
    maxStringLength: 10000,
    breakLength: 80,
    compact: 3,
    sorted: false,
    getters: false,
    numericSeparator: false,
  }
  const colors = {
    bold: [1, 22],
    italic: [3, 23],
    underline: [4, 24],
    inverse: [7, 27],
    white: [37, 39],
    grey: [90, 39],
    gray: [90, 39],
    black: [30, 39],
    blue: [34, 39],
    cyan: [36, 39],
    green: [32, 39],
    magenta: [35, 39],
    red: [31, 39],
    yellow: [33, 39],
  }
  const styles = {
    special: 'cyan',
    number: 'yellow',
    bigint: 'yellow',
    boolean: 'yellow',
    undefined: 'grey',
    null: 'bold',
    string: 'green',
    symbol: 'green',
    date: 'magenta',
    regexp: 'red',
    module: 'underline',
  }
  const plain = (text) => text
  const coloured = (text, style) => {
    const color = colors[styles[style]]
    return color === undefined ? text : '\u001b[' + color[0] + 'm' + text + '\u001b[' + color[1] + 'm'
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with one
  const withoutColors = (text) => text.replace(/\u001b\[\d+m/g, '')

  const escapes = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are shown by their codes
  const toEscape = /[\x00-\x1f'\\\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

  function quoted(text) {
    let quote = "'"
    if (text.includes("'")) {
      if (!text.includes('"')) quote = '"'
      else if (!text.includes('`') && !text.includes('${')) quote = '`'
    }
    const body = text.replace(toEscape, (character) => {
      if (character === "'") return quote === "'" ? "\\'" : "'"
      const known = escapes[character]
      if (known !== undefined) return known
      const code = character.charCodeAt(0)
      return code < 256
        ? '\\x' + code.toString(16).toUpperCase().padStart(2, '0')
        : '\\u' + code.toString(16).toUpperCase()
    })
    return quote + body + quote
  }

  function number(value, stylize) {
    return stylize(Object.is(value, -0) ? '-0' : String(value), 'number')
  }

  function primitive(ctx, value) {
    if (typeof value === 'string') return string(ctx, value)
    if (typeof value === 'number') return number(value, ctx.stylize)
    if (typeof value === 'bigint') return ctx.stylize(value + 'n', 'bigint')
    if (typeof value === 'boolean') return ctx.stylize(String(value), 'boolean')
    if (typeof value === 'undefined') return ctx.stylize('undefined', 'undefined')
    if (value === null) return ctx.stylize('null', 'null')
    return ctx.stylize(symbolText(value), 'symbol')
  }

  const symbolText = (value) => Symbol.prototype.toString.call(value)

  function string(ctx, given) {
    let value = given
    let trailer = ''
    if (value.length > ctx.maxStringLength) {
      const left = value.length - ctx.maxStringLength
      value = value.slice(0, ctx.maxStringLength)
      trailer = '... ' + left + ' more character' + (left > 1 ? 's' : '')
    }
    if (ctx.compact !== true && value.length > 16 && value.length > ctx.breakLength - ctx.indentation - 4) {
      const lines = value.split(/(?<=\n)/)
      return (
        lines.map((line) => ctx.stylize(quoted(line), 'string')).join(' +\n' + ' '.repeat(ctx.indentation + 2)) +
        trailer
      )
    }
    return ctx.stylize(quoted(value), 'string') + trailer
  }

  function inspect(value, options, ...rest) {
    /** @type {any} */
    const ctx = {
      ...defaults,
      seen: [],
      circular: undefined,
      indentation: 0,
      currentDepth: 0,
      budget: {},
      userOptions: undefined,
    }
    if (typeof options === 'boolean') {
      ctx.showHidden = options
      if (rest.length > 0 && rest[0] !== undefined) ctx.depth = rest[0]
      if (rest.length > 1 && rest[1] !== undefined) ctx.colors = rest[1]
    } else if (typeof options === 'object' && options !== null) {
      for (const key of Object.keys(options)) {
        if (Object.hasOwn(defaults, key) || key === 'stylize') ctx[key] = options[key]
      }
      ctx.userOptions = options
    }
    if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity
    if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity
    ctx.stylize = ctx.colors ? coloured : plain
    return format(ctx, value, 0)
  }
  inspect.custom = custom
  inspect.defaultOptions = defaults
  inspect.colors = colors
  inspect.styles = styles

  function format(ctx, value, depth) {
    if (typeof value !== 'object' && typeof value !== 'function') return primitive(ctx, value)
    if (value === null) return primitive(ctx, value)
    if (ctx.customInspect) {
      const own = value[custom]
      if (
        typeof own === 'function' &&
        own !== inspect &&
        !(value.constructor && value.constructor.prototype === value)
      ) {
        const left = ctx.depth === null ? null : ctx.depth - depth
        const result = own.call(value, left, optionsFor(ctx), inspect)
        if (result !== value) {
          if (typeof result !== 'object') return String(result).replaceAll('\n', '\n' + ' '.repeat(ctx.indentation))
          return format(ctx, result, depth)
        }
      }
    }
    if (ctx.seen.includes(value)) {
      ctx.circular = ctx.circular || new Map()
      let index = ctx.circular.get(value)
      if (index === undefined) {
        index = ctx.circular.size + 1
        ctx.circular.set(value, index)
      }
      return ctx.stylize('[Circular *' + index + ']', 'special')
    }
    return raw(ctx, value, depth)
  }

  function optionsFor(ctx) {
    const given = { stylize: ctx.stylize }
    for (const key of Object.keys(defaults)) given[key] = ctx[key]
    return { ...given, ...ctx.userOptions, stylize: ctx.stylize }
  }

  function constructorName(value) {
    let at = value
    while (at !== null && at !== undefined) {
      const descriptor = Object.getOwnPropertyDescriptor(at, 'constructor')
      if (
        descriptor !== undefined &&
        typeof descriptor.value === 'function' &&
        descriptor.value.name !== '' &&
        isInstance(value, descriptor.value)
      ) {
        return descriptor.value.name
      }
      if (descriptor !== undefined && descriptor.get !== undefined && value instanceof Error) return value.name
      at = Object.getPrototypeOf(at)
    }
    return null
  }

  function isInstance(value, type) {
    try {
      return value instanceof type
    } catch {
      return false
    }
  }

  function prefixOf(name, tag, fallback, size = '') {
    if (name === null) {
      if (tag !== '' && fallback !== tag) return '[' + fallback + size + ': null prototype] [' + tag + '] '
      return '[' + fallback + size + ': null prototype] '
    }
    if (tag !== '' && name !== tag) return name + size + ' [' + tag + '] '
    return name + size + ' '
  }

  function keysOf(value, showHidden) {
    const symbols = Object.getOwnPropertySymbols(value)
    if (showHidden) {
      const keys = Object.getOwnPropertyNames(value)
      return symbols.length > 0 ? [...keys, ...symbols] : keys
    }
    let keys
    try {
      keys = Object.keys(value)
    } catch {
      keys = Object.getOwnPropertyNames(value)
    }
    const shown = symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(value, key))
    return shown.length > 0 ? [...keys, ...shown] : keys
  }

  const isIndex = (key) => typeof key === 'string' && /^(?:0|[1-9]\d*)$/.test(key) && Number(key) < 4294967295
  const keysBesideIndexes = (value, showHidden) => keysOf(value, showHidden).filter((key) => !isIndex(key))

  const classOf = (value) => Object.prototype.toString.call(value).slice(8, -1)
  const brand =
    (method, ...given) =>
    (value) => {
      try {
        method.call(value, ...given)
        return true
      } catch {
        return false
      }
    }
  /** @returns {any} */
  const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name)?.get
  const TypedArray = Object.getPrototypeOf(Uint8Array)
  const typedName = getter(TypedArray.prototype, Symbol.toStringTag)
  const is = {
    map: brand(getter(Map.prototype, 'size')),
    set: brand(getter(Set.prototype, 'size')),
    date: brand(Date.prototype.getTime),
    regexp: (value) => value !== RegExp.prototype && brand(getter(RegExp.prototype, 'source'))(value),
    promise: (value) => value instanceof Promise || classOf(value) === 'Promise',
    weakMap: brand(WeakMap.prototype.has, {}),
    weakSet: brand(WeakSet.prototype.has, {}),
    weakRef: brand(WeakRef.prototype.deref),
    arrayBuffer: brand(getter(ArrayBuffer.prototype, 'byteLength')),
    dataView: brand(getter(DataView.prototype, 'byteLength')),
    typedArray: (value) => typedName.call(value) !== undefined,
    error: (value) => value instanceof Error || classOf(value) === 'Error',
    number: brand(Number.prototype.valueOf),
    string: brand(String.prototype.valueOf),
    boolean: brand(Boolean.prototype.valueOf),
    bigint: brand(BigInt.prototype.valueOf),
    symbol: brand(Symbol.prototype.valueOf),
  }

  function tagOf(value, name) {
    const tag = value[Symbol.toStringTag]
    if (typeof tag !== 'string' || tag === '') return ''
    if (tag === name) return ''
    return tag
  }

  const object = 0
  const arrayLike = 1
  const arrayExtras = 2

  function raw(ctx, value, depth) {
    const name = constructorName(value)
    const tag = tagOf(value, name)
    let keys
    let base = ''
    /** @type {(ctx: any, value: any, depth: number) => string[]} */
    let formatter = () => []
    let braces
    let type = object
    if (Array.isArray(value)) {
      const prefix = name !== 'Array' || tag !== '' ? prefixOf(name, tag, 'Array', '(' + value.length + ')') : ''
      keys = keysBesideIndexes(value, ctx.showHidden)
      braces = [prefix + '[', ']']
      if (value.length === 0 && keys.length === 0) return braces[0] + ']'
      type = arrayExtras
      formatter = arrayItems
    } else if (is.set(value)) {
      const size = value.size
      keys = keysOf(value, ctx.showHidden)
      braces = [prefixOf(name, tag, 'Set', '(' + size + ')') + '{', '}']
      if (size === 0 && keys.length === 0) return braces[0] + '}'
      formatter = setItems
    } else if (is.map(value)) {
      const size = value.size
      keys = keysOf(value, ctx.showHidden)
      braces = [prefixOf(name, tag, 'Map', '(' + size + ')') + '{', '}']
      if (size === 0 && keys.length === 0) return braces[0] + '}'
      formatter = mapItems
    } else if (is.typedArray(value)) {
      keys = keysBesideIndexes(value, ctx.showHidden)
      const fallback = typedName.call(value)
      const prefix = prefixOf(name, tag === fallback ? '' : tag, fallback, '(' + value.length + ')')
      braces = [prefix + '[', ']']
      if (value.length === 0 && keys.length === 0 && !ctx.showHidden) return braces[0] + ']'
      type = arrayExtras
      formatter = typedItems
    } else {
      const iterator = iteratorKind(value)
      if (iterator !== undefined) {
        keys = keysOf(value, ctx.showHidden)
        braces = ['[' + iterator + '] {', '}']
        formatter = () => [ctx.stylize('<items unknown>', 'special')]
      } else {
        const found = other(ctx, value, depth, name, tag)
        if (typeof found === 'string') return found
        ;({ keys, base, braces, formatter = formatter } = found)
      }
    }
    if (depth > ctx.depth && ctx.depth !== null) {
      const shown = prefixOf(name, tag, Array.isArray(value) ? 'Array' : 'Object').slice(0, -1)
      return ctx.stylize('[' + shown + ']', 'special')
    }
    const inner = depth + 1
    ctx.seen.push(value)
    ctx.currentDepth = inner
    let output
    const indentation = ctx.indentation
    try {
      output = formatter(ctx, value, inner)
      for (const key of keys) output.push(property(ctx, value, inner, key, type))
    } catch (error) {
      if (!(error instanceof RangeError) || !/stack/.test(error.message)) throw error
      ctx.indentation = indentation
      ctx.seen.pop()
      return ctx.stylize(
        '[' + name + ': Inspection interrupted prematurely. Maximum call stack size exceeded.]',
        'special',
      )
    }
    if (ctx.circular !== undefined) {
      const index = ctx.circular.get(value)
      if (index !== undefined) {
        const reference = ctx.stylize('<ref *' + index + '>', 'special')
        if (ctx.compact !== true) base = base === '' ? reference : reference + ' ' + base
        else braces[0] = reference + ' ' + braces[0]
      }
    }
    ctx.seen.pop()
    if (ctx.sorted) {
      const compare = ctx.sorted === true ? undefined : ctx.sorted
      if (type === object) output.sort(compare)
      else if (keys.length > 1) {
        const sorted = output.slice(output.length - keys.length).sort(compare)
        output.splice(output.length - keys.length, keys.length, ...sorted)
      }
    }
    return reduce(ctx, output, base, braces, type, inner, value)
  }

  function iteratorKind(value) {
    const tag = value[Symbol.toStringTag]
    return tag === 'Map Iterator' || tag === 'Set Iterator' ? tag : undefined
  }

  function other(ctx, value, depth, name, tag) {
    let keys = keysOf(value, ctx.showHidden)
    const braces = ['{', '}']
    let base = ''
    let formatter
    if (typeof value !== 'function' && classOf(value) === 'Arguments') {
      return { keys, base, braces: ['[Arguments] {', '}'] }
    }
    if (typeof value === 'function') {
      base = functionBase(value, name, tag)
      if (keys.length === 0) return ctx.stylize(base, 'special')
      base = ctx.stylize(base, 'special')
      return { keys, base, braces }
    }
    if (is.regexp(value)) {
      base = RegExp.prototype.toString.call(value)
      const prefix = prefixOf(name, tag, 'RegExp')
      if (prefix !== 'RegExp ') base = prefix + base
      if (keys.length === 0 || (depth > ctx.depth && ctx.depth !== null)) return ctx.stylize(base, 'regexp')
      return { keys, base, braces }
    }
    if (is.date(value)) {
      base = Number.isNaN(value.getTime())
        ? Date.prototype.toString.call(value)
        : Date.prototype.toISOString.call(value)
      const prefix = prefixOf(name, tag, 'Date')
      if (prefix !== 'Date ') base = prefix + base
      if (keys.length === 0) return ctx.stylize(base, 'date')
      return { keys, base, braces }
    }
    if (is.error(value)) {
      base = errorBase(ctx, value, name, tag)
      keys = errorKeys(value, keys, base)
      if (keys.length === 0) return base
      return { keys, base, braces }
    }
    if (is.arrayBuffer(value)) {
      braces[0] = prefixOf(name, tag, 'ArrayBuffer') + '{'
      const bytes = new Uint8Array(value)
      formatter = () => {
        const shown = Array.from(bytes.subarray(0, Math.min(50, ctx.maxArrayLength)), (byte) =>
          byte.toString(16).padStart(2, '0'),
        ).join(' ')
        const more =
          bytes.length > 50 ? ' ... ' + (bytes.length - 50) + ' more byte' + (bytes.length > 51 ? 's' : '') : ''
        return [
          ctx.stylize('[Uint8Contents]', 'special') + ': <' + shown + more + '>',
          'byteLength: ' + number(value.byteLength, ctx.stylize),
        ]
      }
      return { keys, base, braces, formatter }
    }
    if (is.dataView(value)) {
      braces[0] = prefixOf(name, tag, 'DataView') + '{'
      formatter = (inner, _, level) =>
        ['byteLength', 'byteOffset', 'buffer'].map((key) => key + ': ' + format(inner, value[key], level))
      return { keys, base, braces, formatter }
    }
    if (is.promise(value)) {
      braces[0] = prefixOf(name, tag, 'Promise') + '{'
      formatter = (inner, _, level) => {
        const [state, result] = internal.promiseState(value)
        if (state === 'pending') return [inner.stylize('<pending>', 'special')]
        inner.indentation += 2
        const text = format(inner, result, level)
        inner.indentation -= 2
        return [state === 'rejected' ? inner.stylize('<rejected>', 'special') + ' ' + text : text]
      }
      return { keys, base, braces, formatter }
    }
    if (is.weakSet(value) || is.weakMap(value)) {
      braces[0] = prefixOf(name, tag, is.weakSet(value) ? 'WeakSet' : 'WeakMap') + '{'
      return { keys, base, braces, formatter: () => [ctx.stylize('<items unknown>', 'special')] }
    }
    if (is.weakRef(value)) {
      braces[0] = prefixOf(name, tag, 'WeakRef') + '{'
      return { keys, base, braces, formatter: (inner, _, level) => [format(inner, value.deref(), level)] }
    }
    for (const [kind, type] of [
      ['number', 'Number'],
      ['string', 'String'],
      ['boolean', 'Boolean'],
      ['bigint', 'BigInt'],
      ['symbol', 'Symbol'],
    ]) {
      if (!is[kind](value)) continue
      if (kind === 'string') keys = keysBesideIndexes(value, ctx.showHidden)
      base = '[' + type
      if (type !== name) base += name === null ? ' (null prototype)' : ' (' + name + ')'
      base += ': ' + primitive({ ...ctx, stylize: plain }, value.valueOf()) + ']'
      if (tag !== '' && tag !== name) base += ' [' + tag + ']'
      if (keys.length === 0) return ctx.stylize(base, kind)
      return { keys, base, braces }
    }
    if (tag === 'Module' && Object.getPrototypeOf(value) === null) {
      braces[0] = '[Module: null prototype] {'
      return { keys, base, braces }
    }
    if (name === 'Object' && tag === '') {
      if (keys.length === 0) return '{}'
      return { keys, base, braces }
    }
    braces[0] = prefixOf(name, tag, 'Object') + '{'
    if (keys.length === 0) return braces[0] + '}'
    return { keys, base, braces }
  }

  function functionBase(value, name, tag) {
    const text = Function.prototype.toString.call(value)
    if (text.startsWith('class') && /^class[\s{]/.test(text)) {
      const own = Object.hasOwn(value, 'name') && value.name ? value.name : ''
      let base = '[class ' + (own || '(anonymous)')
      if (name !== 'Function' && name !== null) base += ' [' + name + ']'
      if (name === null) base += ' extends [null prototype]'
      else {
        const parent = Object.getPrototypeOf(value)
        if (parent?.name) base += ' extends ' + parent.name
        else if (/^class\s+[\w$]*\s*extends\s+null\b/.test(text)) base += ' extends null'
      }
      return base + ']'
    }
    const kind = classOf(value)
    const type = ['AsyncFunction', 'GeneratorFunction', 'AsyncGeneratorFunction'].includes(kind) ? kind : 'Function'
    let base = '[' + type
    if (name === null) base += ' (null prototype)'
    base += value.name === '' ? ' (anonymous)' : ': ' + (typeof value.name === 'string' ? value.name : '')
    base += ']'
    if (name !== type && name !== null && name !== 'Function') base += ' ' + name
    if (tag !== '' && tag !== name && tag !== type) base += ' [' + tag + ']'
    return base
  }

  function errorBase(ctx, error, name, tag) {
    let stack =
      typeof error.stack === 'string' && error.stack !== '' ? error.stack : Error.prototype.toString.call(error)
    if (stack.endsWith('\n')) stack = stack.slice(0, -1)
    stack = improved(stack, error, name, tag)
    let at = error.message ? stack.indexOf(error.message) : -1
    if (at !== -1) at += error.message.length
    const start = stack.indexOf('\n    at', at === -1 ? 0 : at)
    if (start === -1) stack = '[' + stack + ']'
    if (ctx.indentation !== 0) stack = stack.replaceAll('\n', '\n' + ' '.repeat(ctx.indentation))
    return stack
  }

  /** Puts the class and the name of an error into the first line of its stack. */
  function improved(given, error, type, tag) {
    const name = error.name != null ? String(error.name) : 'Error'
    let stack = given
    const start = () => /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) || /^([a-z_A-Z0-9-]*Error)$/.exec(stack)
    if (name !== 'Error' && !stack.includes(name)) {
      const found = start()
      if (found) stack = name + stack.slice(found[1].length)
    }
    let length = name.length
    const isRegular =
      name.endsWith('Error') &&
      stack.startsWith(name) &&
      (stack.length === length || stack[length] === ':' || stack[length] === '\n')
    if (type !== null && !isRegular) return stack
    let fallback = 'Error'
    if (type === null) {
      const found = start()
      fallback = found?.[1] || ''
      length = fallback.length
      fallback = fallback || 'Error'
    }
    const prefix = prefixOf(type, tag, fallback).slice(0, -1)
    if (name === prefix) return stack
    if (!prefix.includes(name)) return prefix + ' [' + name + ']' + stack.slice(length)
    return length === 0 ? prefix + ': ' + stack : prefix + stack.slice(length)
  }

  function errorKeys(error, keys, stack) {
    const shown = keys.filter((key) => {
      if (key !== 'name' && key !== 'message' && key !== 'stack') return true
      return !stack.includes(String(error[key]))
    })
    if (Object.hasOwn(error, 'cause') && !shown.includes('cause')) shown.push('cause')
    if (Array.isArray(error.errors) && Object.hasOwn(error, 'errors') && !shown.includes('errors')) shown.push('errors')
    return shown
  }

  function arrayItems(ctx, value, depth) {
    const output = []
    const length = Math.min(Math.max(0, ctx.maxArrayLength), value.length)
    let index = 0
    while (index < value.length && output.length < length) {
      if (!Object.hasOwn(value, index)) {
        let next = index
        while (next < value.length && !Object.hasOwn(value, next)) next += 1
        const count = next - index
        output.push(ctx.stylize('<' + count + ' empty item' + (count > 1 ? 's' : '') + '>', 'undefined'))
        index = next
        continue
      }
      output.push(property(ctx, value, depth, index, arrayLike))
      index += 1
    }
    const left = value.length - index
    if (left > 0) output.push('... ' + left + ' more item' + (left > 1 ? 's' : ''))
    return output
  }

  function typedItems(ctx, value) {
    const length = Math.min(Math.max(0, ctx.maxArrayLength), value.length)
    const output = []
    for (let index = 0; index < length; index += 1) output.push(primitive(ctx, value[index]))
    const left = value.length - length
    if (left > 0) output.push('... ' + left + ' more item' + (left > 1 ? 's' : ''))
    return output
  }

  function setItems(ctx, value, depth) {
    ctx.indentation += 2
    const all = [...Set.prototype.values.call(value)]
    const output = all.slice(0, ctx.maxArrayLength).map((item) => format(ctx, item, depth))
    const left = all.length - output.length
    if (left > 0) output.push('... ' + left + ' more item' + (left > 1 ? 's' : ''))
    ctx.indentation -= 2
    return output
  }

  function mapItems(ctx, value, depth) {
    ctx.indentation += 2
    const all = [...Map.prototype.entries.call(value)]
    const output = all
      .slice(0, ctx.maxArrayLength)
      .map(([key, item]) => format(ctx, key, depth) + ' => ' + format(ctx, item, depth))
    const left = all.length - output.length
    if (left > 0) output.push('... ' + left + ' more item' + (left > 1 ? 's' : ''))
    ctx.indentation -= 2
    return output
  }

  function property(ctx, value, depth, key, type) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key) || {
      value: value[key],
      configurable: true,
      enumerable: true,
    }
    let text
    if (descriptor.get === undefined && descriptor.set === undefined) {
      const more = ctx.compact !== true || type !== object ? 2 : 3
      ctx.indentation += more
      text = format(ctx, descriptor.value, depth)
      if (more === 3 && ctx.breakLength < text.length) text = '\n' + ' '.repeat(ctx.indentation) + text
      ctx.indentation -= more
    } else if (descriptor.get !== undefined) {
      const label = descriptor.set !== undefined ? 'Getter/Setter' : 'Getter'
      if (
        ctx.getters === true ||
        (ctx.getters === 'get' && descriptor.set === undefined) ||
        (ctx.getters === 'set' && descriptor.set !== undefined)
      ) {
        ctx.indentation += 2
        const got = descriptor.get.call(value)
        const shown =
          got !== null && typeof got === 'object' ? ' ' + format(ctx, got, depth) : ': ' + primitive(ctx, got)
        text =
          ctx.stylize('[' + label, 'special') +
          shown +
          (typeof got === 'object' && got !== null ? '' : ctx.stylize(']', 'special'))
        if (typeof got === 'object' && got !== null) text = ctx.stylize('[' + label + ']', 'special') + shown
        ctx.indentation -= 2
      } else text = ctx.stylize('[' + label + ']', 'special')
    } else text = ctx.stylize('[Setter]', 'special')
    if (type === arrayLike) return text
    let name
    if (typeof key === 'symbol') name = '[' + ctx.stylize(symbolText(key), 'symbol') + ']'
    else if (key === '__proto__') name = "['__proto__']"
    else if (descriptor.enumerable === false) name = '[' + key + ']'
    else if (/^[a-zA-Z_][a-zA-Z_0-9]*$/.test(key)) name = ctx.stylize(key, 'name')
    else name = ctx.stylize(quoted(key), 'string')
    return name + ': ' + text
  }

  function reduce(ctx, given, base, braces, type, depth, value) {
    let output = given
    if (ctx.compact !== true) {
      if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
        const entries = output.length
        if (type === arrayExtras && entries > 6) output = group(ctx, output, value)
        if (ctx.currentDepth - depth < ctx.compact && entries === output.length) {
          const start = output.length + ctx.indentation + braces[0].length + base.length + 10
          if (fits(ctx, output, start, base)) {
            const joined = output.join(', ')
            if (!joined.includes('\n')) return (base ? base + ' ' : '') + braces[0] + ' ' + joined + ' ' + braces[1]
          }
        }
      }
      const indentation = '\n' + ' '.repeat(ctx.indentation)
      return (
        (base ? base + ' ' : '') +
        braces[0] +
        indentation +
        '  ' +
        output.join(',' + indentation + '  ') +
        indentation +
        braces[1]
      )
    }
    if (fits(ctx, output, 0, base))
      return braces[0] + (base ? ' ' + base : '') + ' ' + output.join(', ') + ' ' + braces[1]
    const indentation = '\n' + ' '.repeat(ctx.indentation)
    const line =
      base === '' && braces[0].length === 1 ? ' ' : (base ? ' ' + base : '') + '\n' + indentation.slice(1) + '  '
    return braces[0] + line + output.join(',' + indentation + '  ') + ' ' + braces[1]
  }

  const widthOf = (ctx, text) => (ctx.colors ? withoutColors(text).length : text.length)

  function fits(ctx, output, start, base) {
    let total = output.length + start
    if (total + output.length > ctx.breakLength) return false
    for (const item of output) {
      total += widthOf(ctx, item)
      if (total > ctx.breakLength) return false
    }
    return base === '' || !base.includes('\n')
  }

  /** Puts the items of a long array into columns. */
  function group(ctx, output, value) {
    let total = 0
    let longest = 0
    const hasMore = ctx.maxArrayLength < output.length
    const count = hasMore ? output.length - 1 : output.length
    const separator = 2
    const widths = []
    for (let index = 0; index < count; index += 1) {
      const width = widthOf(ctx, output[index])
      widths.push(width)
      total += width + separator
      if (longest < width) longest = width
    }
    const actual = longest + separator
    if (actual * 3 + ctx.indentation >= ctx.breakLength) return output
    if (!(total / actual > 5 || longest <= 6)) return output
    const bias = Math.sqrt(actual - total / output.length)
    const biased = Math.max(actual - 3 - bias, 1)
    const columns = Math.min(
      Math.round(Math.sqrt(2.5 * biased * count) / biased),
      Math.floor((ctx.breakLength - ctx.indentation) / actual),
      ctx.compact * 4,
      15,
    )
    if (columns <= 1) return output
    const lines = []
    const lineWidths = []
    for (let column = 0; column < columns; column += 1) {
      let width = 0
      for (let at = column; at < count; at += columns) if (widths[at] > width) width = widths[at]
      lineWidths.push(width + separator)
    }
    let pad = 'padStart'
    if (value !== undefined) {
      for (let index = 0; index < output.length; index += 1) {
        if (typeof value[index] !== 'number' && typeof value[index] !== 'bigint') {
          pad = 'padEnd'
          break
        }
      }
    }
    for (let start = 0; start < count; start += columns) {
      const end = Math.min(start + columns, count)
      let line = ''
      let at = start
      for (; at < end - 1; at += 1) {
        const width = lineWidths[at - start] + output[at].length - widths[at]
        line += (output[at] + ', ')[pad](width, ' ')
      }
      if (pad === 'padStart')
        line += output[at].padStart(lineWidths[at - start] + output[at].length - widths[at] - separator, ' ')
      else line += output[at]
      lines.push(line)
    }
    if (hasMore) lines.push(output[count])
    return lines
  }

  function hasOwnText(value) {
    if (typeof value.toString !== 'function') return false
    if (Object.hasOwn(value, 'toString')) return true
    let at = value
    do at = Object.getPrototypeOf(at)
    while (at !== null && !Object.hasOwn(at, 'toString'))
    if (at === null) return false
    const descriptor = Object.getOwnPropertyDescriptor(at, 'constructor')
    const type = descriptor?.value
    return !(typeof type === 'function' && natives.has(type))
  }
  const natives = new Set([
    Object,
    Function,
    Array,
    Number,
    Boolean,
    String,
    Symbol,
    BigInt,
    Date,
    RegExp,
    Map,
    Set,
    Promise,
    ArrayBuffer,
    DataView,
    TypedArray,
  ])

  function formatOne(value, options) {
    if (typeof value === 'bigint') return value + 'n'
    if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
    if (typeof value !== 'object' || value === null || !hasOwnText(value)) {
      return typeof value === 'string'
        ? value
        : typeof value === 'symbol' || typeof value !== 'object' || value === null
          ? String(value)
          : inspect(value, { ...options, depth: 0, colors: false, compact: 3 })
    }
    return String(value)
  }

  function formatWithOptions(options, ...given) {
    const [first] = given
    if (given.length === 1 && typeof first !== 'object' && typeof first !== 'function') {
      return typeof first === 'string' ? first : primitive({ stylize: plain }, first)
    }
    let text = ''
    let used = 0
    if (typeof first === 'string') {
      if (given.length === 1) return first
      let last = 0
      for (let at = 0; at < first.length - 1; at += 1) {
        if (first[at] !== '%') continue
        const letter = first[at + 1]
        if (letter === '%') {
          text += first.slice(last, at) + '%'
          last = at + 2
          at += 1
          continue
        }
        if (used + 1 >= given.length) continue
        let shown
        const value = given[used + 1]
        if (letter === 's') shown = formatOne(value, options)
        else if (letter === 'd')
          shown =
            typeof value === 'bigint'
              ? value + 'n'
              : typeof value === 'symbol'
                ? 'NaN'
                : number(typeof value === 'object' && value !== null ? Number(value) : Number(value), plain)
        else if (letter === 'i')
          shown =
            // biome-ignore lint/correctness/useParseIntRadix: %i reads hexadecimal numbers too
            typeof value === 'bigint' ? value + 'n' : typeof value === 'symbol' ? 'NaN' : number(parseInt(value), plain)
        else if (letter === 'f') shown = typeof value === 'symbol' ? 'NaN' : number(parseFloat(value), plain)
        else if (letter === 'j') shown = jsonText(value)
        else if (letter === 'O') shown = inspect(value, options)
        else if (letter === 'o') shown = inspect(value, { ...options, showHidden: true, showProxy: true, depth: 4 })
        else if (letter === 'c') shown = ''
        else continue
        text += first.slice(last, at) + shown
        last = at + 2
        at += 1
        used += 1
      }
      if (last !== 0) {
        used += 1
        if (last < first.length) text += first.slice(last)
      }
    }
    if (used === 0 && typeof first === 'string' && text !== '') used = 1
    while (used < given.length) {
      const value = given[used]
      text += (used > 0 ? ' ' : '') + (typeof value === 'string' ? value : inspect(value, options))
      used += 1
    }
    return text
  }

  function jsonText(value) {
    try {
      return JSON.stringify(value)
    } catch (error) {
      if (/circular/.test(error.message)) return '[Circular]'
      throw error
    }
  }

  exported.inspect = inspect
  exported.custom = custom
  exported.format = (...given) => formatWithOptions(undefined, ...given)
  exported.formatWithOptions = formatWithOptions
  exported.is = is
  exported.classOf = classOf
  exported.quoted = quoted
  exported.withoutColors = withoutColors
})
