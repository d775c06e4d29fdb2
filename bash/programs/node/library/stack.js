/** Stacks and messages of errors, as V8 writes them. */
'use strict'
;(() => {
  const { internal } = $polyfs
  internal.sources = new Map()
  /** What is known of names of files: errors are made often, and mostly in the same files. */
  function remembered(find, known = new Map()) {
    return (name) => {
      let found = known.get(name)
      if (found === undefined) known.set(name, (found = find(name)))
      return found
    }
  }
  const isHidden = remembered((name) => String(name).startsWith('node:'))
  /** Names of code of eval: the one of the engine, and those that say whose it is. */
  const isEval = remembered((name) => /^<\w{5}>$/.test(name))
  const isUnnamed = remembered((name) => /^<text in /.test(name) || isEval(name))

  /** Where the lines of each file begin. */
  const begins = new Map()
  function beginsOf(file, source) {
    const known = begins.get(file)
    if (known !== undefined && known.source === source) return known.at
    const at = [0]
    for (let end = source.indexOf('\n'); end !== -1; end = source.indexOf('\n', end + 1)) at.push(end + 1)
    begins.set(file, { source, at })
    return at
  }
  internal.lineAt = function lineAt(file, number) {
    const source = internal.sources.get(file)
    if (source === undefined) return undefined
    const at = beginsOf(file, source)
    if (at[number - 1] === undefined) return undefined
    return source.slice(at[number - 1], number < at.length ? at[number] - 1 : source.length)
  }

  /** The expression that was called, from the text of the line. */
  function calledAt(site) {
    const line = internal.lineAt(site.getFileName(), site.getLineNumber())
    const column = columnOf(site)
    if (line === undefined || column === null) return undefined
    const [before = ''] = /[\w$.]*$/.exec(line.slice(0, column - 1)) || []
    const [after = ''] = /^\??\.?[\w$]*(?:\.[\w$]+)*/.exec(line.slice(column - 1)) || []
    const found = (before + after).replace(/\?\./g, '.')
    if (found === '') return undefined
    if (found.startsWith('.')) return '(intermediate value)' + found
    return found
  }

  function classAt(site) {
    const line = (internal.lineAt(site.getFileName(), site.getLineNumber()) || '').slice(
      Math.max(0, site.getColumnNumber() - 30),
    )
    const found = /(?<!new\s+)\b([A-Z][\w$]*)\(/.exec(line)
    return found === null ? undefined : found[1]
  }

  /** @type {[RegExp, (match: RegExpExecArray, error: any, site?: CallSite) => string][]} */
  const rules = [
    [/^cannot read property 'Symbol.iterator' of (undefined|null)$/, (m) => m[1] + ' is not iterable'],
    [
      /^cannot read property '(.*)' of (undefined|null)$/s,
      (m) => 'Cannot read properties of ' + m[2] + " (reading '" + m[1] + "')",
    ],
    [
      /^cannot set property '(.*)' of (undefined|null)$/s,
      (m) => 'Cannot set properties of ' + m[2] + " (setting '" + m[1] + "')",
    ],
    [/^'?(.+?)'? is read-only$/, (m, error, site) => readOnly(m[1], error, site)],
    [/^(.+) is not initialized$/, (m) => "Cannot access '" + m[1] + "' before initialization"],
    [/^(.* in JSON at position \d+) \(line \d+ column \d+\)$/s, (m) => m[1]],
    [/^invalid array length$/, () => 'Invalid array length'],
    [/^invalid array index$/, (_m, _error, site) => wrongSize(site)],
    [/^out of bound$/, () => 'Offset is outside the bounds of the DataView'],
    [/^circular reference$/, () => 'Converting circular structure to JSON'],
    [/^cannot convert to object$/, () => 'Cannot convert undefined or null to object'],
    [/^cannot convert BigInt to number$/i, () => 'Cannot mix BigInt and other types, use explicit conversions'],
    [
      /^class constructors must be invoked with 'new'$/,
      (_m, _error, site) => 'Class constructor ' + (classAt(site) || '') + " cannot be invoked without 'new'",
    ],
    [/^not a function$/, (_m, _error, site) => (calledAt(site) || 'value') + ' is not a function'],
    [
      /^not a constructor$/,
      (_m, _error, site) => (calledAt(site) || 'value').replace(/^new\s+/, '') + ' is not a constructor',
    ],
    [
      /^(?:value|object) is not iterable$/,
      () => 'object is not iterable (cannot read property Symbol(Symbol.iterator))',
    ],
    [/^invalid repeat count$/, () => 'Invalid count value'],
    [/^Date value is NaN$/, () => 'Invalid time value'],
    [/^invalid number of digits$/, () => 'toFixed() digits argument must be between 0 and 100'],
    [/^cannot convert symbol to string$/, () => 'Cannot convert a Symbol value to a string'],
    [/^expecting hex digit$|^malformed UTF-8$/, (m, error) => (error instanceof URIError ? 'URI malformed' : m[0])],
    [/^object is not extensible$/, () => 'Cannot add property, object is not extensible'],
    [
      /^cannot convert to BigInt: not an integer$/,
      () => 'The number cannot be converted to a BigInt because it is not an integer',
    ],
    [
      /^unexpected token in expression: (.*)$/s,
      (m) => (m[1] === "''" || m[1] === "'<eof>'" ? 'Unexpected end of input' : 'Unexpected token ' + m[1]),
    ],
    [
      /^Could not find export '(.*)' in module '(.*)'$/,
      (m) => "The requested module '" + m[2] + "' does not provide an export named '" + m[1] + "'",
    ],
    [/^stack overflow$/, () => 'Maximum call stack size exceeded'],
  ]

  /** Of what is made with a size that it can't have; the size itself is known only where it stands in the code. */
  function wrongSize(site) {
    const line = (site && internal.lineAt(site.getFileName(), site.getLineNumber())) || ''
    const [, made = '', size = ''] =
      /\bnew\s+(\w+)\(\s*(-?[\d.e]+(?=\s*\)))?/.exec(line.slice(Math.max(0, (site ? columnOf(site) || 0 : 0) - 30))) ||
      []
    if (made === '' && /\bas(?:Int|Uint)N\(/.test(line)) return 'Invalid value: not (convertible to) a safe integer'
    if (made === 'ArrayBuffer') return 'Invalid array buffer length'
    return 'Invalid typed array length' + (size === '' ? '' : ': ' + Number(size))
  }

  function readOnly(name, error, site) {
    return error instanceof TypeError && site && isConstant(name, site)
      ? 'Assignment to constant variable.'
      : "Cannot assign to read only property '" + name + "' of object '#<Object>'"
  }

  function isConstant(name, site) {
    const source = internal.sources.get(site.getFileName()) || ''
    return new RegExp('\\bconst\\b[^;]*\\b' + name.replace(/\$/g, '\\$') + '\\b').test(source)
  }

  function improve(error, site) {
    const message = error.message
    if (typeof message !== 'string' || message.length > 500 || plainMessages.has(message)) return
    for (const [pattern, replace] of rules) {
      const match = pattern.exec(message)
      if (match === null) continue
      error.message = replace(match, error, site)
      return
    }
    if (plainMessages.size >= maxPlainMessages) plainMessages.clear()
    plainMessages.add(message)
  }
  /** Messages that no rule changes. */
  const plainMessages = new Set()
  const maxPlainMessages = 200

  /** How much was put before the first line of a file. */
  internal.offsets = new Map()
  internal.modulePaths = new Set()
  /** The column as V8 counts it: where a call, or the new before it, begins. */
  function columnOf(site, property) {
    const file = site.getFileName()
    let column = site.getColumnNumber()
    if (site.getLineNumber() === 1) column = Math.max(1, column - (internal.offsets.get(file) || 0))
    if (internal.isExact) return column
    const line = textOf(site)
    if (line === undefined) return column
    if (line.slice(0, column - 1).endsWith('new ')) return column - 4
    const at = property === undefined ? -1 : line.indexOf('.' + property, column - 1)
    return at === -1 ? column : at + 2
  }
  /** Where the script is that a frame stands for, as V8 counts it. */
  internal.placeOf = (site) => ({ line: site.getLineNumber(), column: columnOf(site), file: site.getFileName() })
  internal.isHidden = (site) => isHidden(site.getFileName())
  const textOf = (site) => internal.lineAt(site.getFileName(), site.getLineNumber())

  function lineOf(site, property) {
    const file = site.getFileName()
    const name = site.getFunctionName()
    if (file === null || file === undefined || site.isNative())
      return name
        ? '    at ' + (name === 'parse' || name === 'stringify' ? 'JSON.' : '') + name + ' (<anonymous>)'
        : '    at <anonymous>'
    const shownFile = internal.modulePaths?.has(file) ? 'file://' + file : file
    const place =
      (isUnnamed(file) ? '<anonymous>' : shownFile.startsWith('<vm>') ? shownFile.slice(4) : shownFile) +
      ':' +
      site.getLineNumber() +
      ':' +
      columnOf(site, property)
    const shown = name === '<eval>' || name === '<module>' ? '' : name
    if (shown === '$main') return '    at Object.<anonymous> (' + place + ')'
    return shown ? '    at ' + shown + ' (' + place + ')' : '    at ' + place
  }

  /** The stack starts where an error was made, not in the constructors of its classes. */
  function withoutConstructors(error, sites) {
    const names = new Set()
    for (let at = Object.getPrototypeOf(error); at !== null && at !== Error.prototype; at = Object.getPrototypeOf(at)) {
      const type = Object.getOwnPropertyDescriptor(at, 'constructor')
      if (type && typeof type.value === 'function') names.add(type.value.name)
    }
    let start = 0
    while (start < sites.length - 1 && names.has(sites[start].getFunctionName())) start += 1
    return sites.slice(start)
  }

  /** What calls what now, from the inside out. */
  internal.callSites = function callSites(limit = Infinity) {
    const { stackTraceLimit } = Error
    let found = []
    Error.stackTraceLimit = limit
    usePrepare((_error, sites) => {
      found = sites
    })
    // Engines may make the stack only when it is asked for.
    void new Error().stack
    usePrepare(prepare)
    Error.stackTraceLimit = stackTraceLimit
    return found
  }

  /** A frame for handlers of scripts. The engine does not know on what a method was called. */
  class CallSite {
    #site
    constructor(site) {
      this.#site = site
    }
    getThis() {}
    getTypeName() {
      return this.#site.getFunctionName() === '$main' ? 'Object' : null
    }
    getFunction() {
      return this.#site.getFunction()
    }
    getFunctionName() {
      const name = this.#site.getFunctionName()
      if (name === '<eval>') return this.isEval() ? 'eval' : null
      return name === '$main' || name === '<module>' || name === '' ? null : name
    }
    getMethodName() {
      return null
    }
    getFileName() {
      const file = this.#site.getFileName()
      if (file === null || file === undefined) return null
      if (this.isEval()) return undefined
      const name = file.startsWith('<vm>') ? file.slice(4) : file
      return internal.modulePaths.has(name) ? 'file://' + name : name
    }
    getScriptNameOrSourceURL() {
      return this.getFileName()
    }
    getScriptHash() {
      return ''
    }
    getLineNumber() {
      return this.#site.isNative() ? null : this.#site.getLineNumber()
    }
    getColumnNumber() {
      return this.#site.isNative() ? null : columnOf(this.#site)
    }
    getEnclosingLineNumber() {
      return this.getLineNumber()
    }
    getEnclosingColumnNumber() {
      return this.getColumnNumber()
    }
    getPosition() {
      return 0
    }
    getEvalOrigin() {}
    getPromiseIndex() {
      return null
    }
    isToplevel() {
      return this.getTypeName() === null && !this.isConstructor() && !this.#site.isNative()
    }
    isEval() {
      return isUnnamed(this.#site.getFileName())
    }
    isNative() {
      return false
    }
    isConstructor() {
      return this.#site.isConstructor()
    }
    isAsync() {
      return false
    }
    isPromiseAll() {
      return false
    }
    toString() {
      return lineOf(this.#site).slice('    at '.length)
    }
  }

  const prepareByEngine = /** @type {PropertyDescriptor} */ (
    Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  )
  const usePrepare = (run) => Reflect.apply(/** @type {any} */ (prepareByEngine.set), Error, [run])
  function ErrorPrepareStackTrace(error, sites) {
    const header = Error.prototype.toString.call(error)
    return sites.length === 0 ? header : header + '\n    at ' + sites.join('\n    at ')
  }
  let prepareByScript = ErrorPrepareStackTrace
  const handlerOfScript = {
    get: () => prepareByScript,
    set(run) {
      prepareByScript = run
    },
    configurable: true,
    enumerable: false,
  }
  // An engine that looks for the handler where scripts set it keeps both apart itself.
  if (internal.keepHandler) internal.keepHandler(handlerOfScript)
  else Object.defineProperty(Error, 'prepareStackTrace', handlerOfScript)

  Error.stackTraceLimit = 10
  usePrepare(prepare)
  internal.prepareStack = prepare
  function prepare(error, sites) {
    if (typeof prepareByScript !== 'function' || prepareByScript === ErrorPrepareStackTrace)
      return textOfStack(error, sites)
    const shown = sites.filter((site) => !isHidden(site.getFileName())).map((site) => new CallSite(site))
    improveMessage(error, sites)
    return prepareByScript(error, shown.slice(0, Error.stackTraceLimit))
  }

  function improveMessage(error, sites) {
    // Only Promise.any makes one without a message.
    if (error instanceof AggregateError && error.message === '') error.message = 'All promises were rejected'
    // An engine that words its messages so itself says so.
    if (Object.hasOwn(error, 'message') && !internal.isExact)
      improve(
        error,
        sites.find((site) => !site.isNative()),
      )
  }

  function textOfStack(error, sites) {
    const shown = withoutConstructors(error, sites).filter((site) => !isHidden(site.getFileName()))
    improveMessage(error, sites)
    internal.lastSite = shown[0]
    let header
    try {
      header = String(error)
    } catch {
      header = 'Error'
    }
    while (shown.length > 0 && shown[shown.length - 1].isNative()) shown.pop()
    if (error instanceof SyntaxError && shown.length > 0 && isEval(shown[0].getFileName())) shown.shift()
    const [, property] = /\(reading '(.*)'\)$/.exec(error.message) || []
    return [
      header,
      ...shown.slice(0, Error.stackTraceLimit).map((site, index) => lineOf(site, index === 0 ? property : undefined)),
    ].join('\n')
  }
})()
