/** What tests, reporters and the runner of tests share. */
'use strict'
$polyfs.internal.define('internal/test-parts', ({ exported, builtin, internal }) => {
  const inspect = builtin('internal/inspect').inspect
  exported.inspectOnce = (value) => inspect(value)

  /** Durations are nanoseconds in Node. */
  internal.milliseconds = (value) => Math.max(0, Math.round(value * 1e6)) / 1e6

  /** The error of a test that failed; what it threw is the cause. */
  class Failure extends internal.NodeError {
    constructor(error, failureType) {
      const message = error?.message ?? error
      super('ERR_TEST_FAILURE', typeof message === 'string' ? message : inspect(message))
      this.failureType = failureType
      this.cause = error
    }
  }
  exported.Failure = Failure
  exported.isTestFailure = (error) => error instanceof Failure

  /** What the command says about tests. */
  let known
  exported.options = function options() {
    if (known !== undefined) return known
    const given = internal.testOptions
    const isChild = process.env.NODE_TEST_CONTEXT === 'child-v8'
    let reporters = given.reporters
    let destinations = given.destinations
    if (isChild) [reporters, destinations] = [['v8-serializer'], ['stdout']]
    else if (process.env.NODE_TEST_CONTEXT === 'child') [reporters, destinations] = [['tap'], ['stdout']]
    else {
      if (reporters.length === 0 && destinations.length === 0) reporters = ['tap']
      if (reporters.length === 1 && destinations.length === 0) destinations = ['stdout']
      if (reporters.length !== destinations.length)
        throw new internal.NodeTypeError(
          'ERR_INVALID_ARG_VALUE',
          "The argument '--test-reporter' must match the number of specified '--test-reporter-destination'. Received " +
            inspect(reporters),
        )
    }
    known = {
      isRunner: given.isRunner,
      testOnly: given.isRunner ? false : given.only,
      namePatterns:
        given.isRunner || given.namePatterns.length === 0
          ? null
          : given.namePatterns.map((text) => exported.patternOf(text, '--test-name-pattern')),
      forceExit: given.forceExit,
      reporters,
      destinations,
    }
    return known
  }
  exported.patternOf = function patternOf(text, name) {
    const [, pattern = text, flags = ''] = /^\/(.*)\/([a-z]*)$/.exec(text) || []
    try {
      return new RegExp(pattern, flags)
    } catch (error) {
      throw new internal.NodeTypeError(
        'ERR_INVALID_ARG_VALUE',
        "The argument '" +
          name +
          "' is an invalid regular expression. " +
          error.message +
          '. Received ' +
          inspect(text),
      )
    }
  }

  exported.countTest = function countTest(test, { counters }) {
    if (test.nesting === 0) counters.topLevel += 1
    if (test.reportedType === 'suite') {
      counters.suites += 1
      return
    }
    const kind = test.skipped
      ? 'skipped'
      : test.isTodo
        ? 'todo'
        : test.cancelled
          ? 'cancelled'
          : test.passed
            ? 'passed'
            : 'failed'
    counters[kind] += 1
    counters.all += 1
  }

  /** What happens to tests, as events and as objects to read. */
  exported.TestsStream = class TestsStream extends builtin('stream').Readable {
    constructor() {
      super({ objectMode: true, highWaterMark: Number.MAX_SAFE_INTEGER })
      Object.defineProperty(this, '$', { value: { takers: [], isEnded: false }, enumerable: false })
    }
    _read() {}
    say(type, data) {
      this.emit(type, data)
      for (const take of this.$.takers) take({ type, data })
      if (this.$.takers.length === 0 || this.$.isRead) this.push({ type, data })
    }
    /** Each event goes to this function; `undefined` at the end. */
    take(taker) {
      this.$.takers.push(taker)
    }
    end() {
      for (const take of this.$.takers) take(undefined)
      this.push(null)
      this.$.isEnded = true
    }
    finished(then) {
      if (this.$.isEnded) internal.nextTick(then)
      else this.once('end', then)
    }
  }

  /** Values as text, for the process that reports: errors keep what can be printed of them. */
  exported.pack = (value) => JSON.stringify(packed(value, new Map()))
  exported.unpack = (text) => unpacked(JSON.parse(text), [])

  function packed(value, seen) {
    if (value === undefined) return { u: 1 }
    if (typeof value === 'number')
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { n: Object.is(value, -0) ? '-0' : String(value) }
    if (typeof value === 'bigint') return { b: String(value) }
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'function' || typeof value === 'symbol') return { i: inspect(value) }
    if (seen.has(value)) return { r: seen.get(value) }
    seen.set(value, seen.size)
    const { is } = builtin('internal/inspect')
    const entries = (keys) => keys.map((key) => [key, packed(value[key], seen)])
    if (is.error(value)) {
      const names = new Set([...Object.keys(value), 'name', 'message', 'stack', 'cause'])
      const found = [...names].filter((name) => name in value && typeof value[name] !== 'function')
      return { e: entries(found), k: found.filter((name) => Object.prototype.propertyIsEnumerable.call(value, name)) }
    }
    if (Array.isArray(value)) return { a: value.map((each) => packed(each, seen)) }
    if (is.date(value)) return { d: value.getTime() }
    if (is.regexp(value)) return { x: [value.source, value.flags] }
    if (is.map(value)) return { m: [...value].map(([key, each]) => [packed(key, seen), packed(each, seen)]) }
    if (is.set(value)) return { s: [...value].map((each) => packed(each, seen)) }
    return { o: entries(Object.keys(value).filter((key) => typeof value[key] !== 'function')) }
  }
  function unpacked(value, seen) {
    if (value === null || typeof value !== 'object') return value
    if (value.u) return undefined
    if (value.n !== undefined) return Number(value.n)
    if (value.b !== undefined) return BigInt(value.b)
    if (value.i !== undefined) return value.i
    if (value.r !== undefined) return seen[value.r]
    const keep = (made) => {
      seen.push(made)
      return made
    }
    if (value.e) {
      const made = keep(new Error(''))
      delete made.stack
      for (const [name, each] of value.e)
        Object.defineProperty(made, name, {
          value: unpacked(each, seen),
          enumerable: value.k.includes(name),
          writable: true,
          configurable: true,
        })
      return made
    }
    if (value.a) {
      const made = keep([])
      for (const each of value.a) made.push(unpacked(each, seen))
      return made
    }
    if (value.d !== undefined) return keep(new Date(value.d))
    if (value.x) return keep(new RegExp(value.x[0], value.x[1]))
    if (value.m) {
      const made = keep(new Map())
      for (const [key, each] of value.m) made.set(unpacked(key, seen), unpacked(each, seen))
      return made
    }
    if (value.s) {
      const made = keep(new Set())
      for (const each of value.s) made.add(unpacked(each, seen))
      return made
    }
    const made = keep({})
    for (const [key, each] of value.o) made[key] = unpacked(each, seen)
    return made
  }
})
