/** The module `assert`. */
'use strict'
$polyfs.internal.define('assert', ({ builtin, internal }) => {
  const { inspect, isDeepStrictEqual } = builtin('util')
  const shown = (value) =>
    inspect(value, {
      compact: false,
      customInspect: false,
      depth: 1000,
      maxArrayLength: Infinity,
      showHidden: false,
      showProxy: false,
      sorted: true,
      getters: true,
    })
  const operators = {
    deepStrictEqual: 'Expected values to be strictly deep-equal:',
    strictEqual: 'Expected values to be strictly equal:',
    strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
    deepEqual: 'Expected values to be loosely deep-equal:',
    notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
    notStrictEqual: 'Expected "actual" to be strictly unequal to:',
    notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
    notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
    notIdentical: 'Values identical but not reference-equal:',
    notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
  }

  class AssertionError extends Error {
    constructor({ message, actual, expected, operator }) {
      super(message === undefined ? describe(actual, expected, operator) : String(message))
      Object.defineProperty(this, 'name', {
        value: 'AssertionError',
        writable: true,
        configurable: true,
        enumerable: false,
      })
      this.generatedMessage = message === undefined
      this.code = 'ERR_ASSERTION'
      this.actual = actual
      this.expected = expected
      this.operator = operator
      const [, frames = ''] = /^[\s\S]*?((?:\n {4}at [^\n]*)+)$/.exec(String(this.stack)) || []
      Object.defineProperty(this, 'stack', {
        value: 'AssertionError [ERR_ASSERTION]: ' + this.message + frames,
        writable: true,
        configurable: true,
        enumerable: false,
      })
    }
    toString() {
      return this.name + ' [' + this.code + ']: ' + this.message
    }
  }

  function describe(actual, expected, operator) {
    if (operator === 'deepStrictEqual' || operator === 'strictEqual') return difference(actual, expected, operator)
    if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual') {
      let base = operators[operator]
      if (
        operator === 'notStrictEqual' &&
        ((typeof actual === 'object' && actual !== null) || typeof actual === 'function')
      )
        base = operators.notStrictEqualObject
      const lines = shown(actual).split('\n')
      return lines.length === 1
        ? base + (lines[0].length > 5 ? '\n\n' : ' ') + lines[0]
        : base + '\n\n' + lines.join('\n') + '\n'
    }
    const one = shown(actual)
    const other = shown(expected)
    if (operator === 'deepEqual')
      return operators.deepEqual + '\n\n' + one + '\n\nshould loosely deep-equal\n\n' + other
    if (operator === 'notDeepEqual')
      return operators.notDeepEqual + '\n\n' + one + '\n\nshould not loosely deep-equal\n\n' + other
    return one + ' ' + operator + ' ' + other
  }

  function difference(actual, expected, operator) {
    const one = shown(actual).split('\n')
    const other = shown(expected).split('\n')
    const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'
    let header = operators[operator]
    if (operator === 'strictEqual' && isObject(actual) && isObject(expected)) header = operators.strictEqualObject
    if (one.length === 1 && other.length === 1 && one[0] !== other[0]) {
      const size = one[0].length + other[0].length
      if (size <= 12) {
        if (!isObject(actual) && !isObject(expected) && (actual !== 0 || expected !== 0))
          return header + '\n\n' + one[0] + ' !== ' + other[0] + '\n'
      }
    }
    if (one.join('\n') === other.join('\n')) return operators.notIdentical + '\n\n' + one.join('\n') + '\n'
    const lines = compared(one, other)
    const isShort = one.length === 1 && other.length === 1
    if (isShort) {
      let mark = ''
      if (typeof actual === 'string' || !isObject(actual)) {
        let same = 0
        while (same < one[0].length && one[0][same] === other[0][same]) same += 1
        if (same > 2 && one[0].length < 80) mark = '\n' + ' '.repeat(same + 2) + '^'
      }
      return header + '\n+ actual - expected\n\n+ ' + one[0] + '\n- ' + other[0] + mark
    }
    return (
      header + '\n+ actual - expected' + (lines.skipped ? ' ... Lines skipped' : '') + '\n\n' + lines.text.join('\n')
    )
  }

  /** Lines of both, by their longest common subsequence; what is far from a difference is left out. */
  function compared(one, other) {
    const table = Array.from({ length: one.length + 1 }, () => new Array(other.length + 1).fill(0))
    const same = (left, right) => left === right || left.replace(/,$/, '') === right.replace(/,$/, '')
    for (let i = one.length - 1; i >= 0; i -= 1) {
      for (let j = other.length - 1; j >= 0; j -= 1)
        table[i][j] = same(one[i], other[j]) ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1])
    }
    const marked = []
    let i = 0
    let j = 0
    while (i < one.length || j < other.length) {
      if (i < one.length && j < other.length && same(one[i], other[j])) {
        marked.push('  ' + one[i])
        i += 1
        j += 1
      } else if (i < one.length && (j >= other.length || table[i + 1][j] >= table[i][j + 1]))
        marked.push('+ ' + one[i++])
      else marked.push('- ' + other[j++])
    }
    const text = []
    let skipped = false
    for (let at = 0; at < marked.length; at += 1) {
      let end = at
      while (end < marked.length && marked[end].startsWith('  ')) end += 1
      const run = end - at
      const before = at === 0 ? 0 : 2
      const after = end === marked.length ? 0 : 2
      if (run > before + after + 1) {
        text.push(
          ...marked.slice(at, at + (at === 0 ? 1 : 2)),
          '...',
          ...marked.slice(end - (end === marked.length ? 1 : 2), end),
        )
        skipped = true
        at = end - 1
      } else if (run > 0) {
        text.push(...marked.slice(at, end))
        at = end - 1
      } else text.push(marked[at])
    }
    return { text, skipped }
  }

  function fail(details) {
    if (details.message instanceof Error) throw details.message
    throw new AssertionError(details)
  }
  function calledText() {
    const site = internal.lastSite
    if (site === undefined) return undefined
    const line = internal.sources.get(site.getFileName())?.split('\n')[site.getLineNumber() - 1]
    if (line === undefined || site.getFileName().startsWith('[')) return undefined
    const at = line.search(/\b[\w$]*(?:assert|ok)\b[\w$.]*\s*\(/i)
    if (at === -1) return undefined
    let depth = 0
    for (let end = at; end < line.length; end += 1) {
      if (line[end] === '(') depth += 1
      if (line[end] === ')') {
        depth -= 1
        if (depth === 0) return line.slice(at, end + 1)
      }
    }
    return undefined
  }
  function ok(...given) {
    const [value, message] = given
    if (value) return
    if (given.length === 0)
      fail({
        actual: value,
        expected: true,
        operator: '==',
        message: 'No value argument passed to `assert.ok()`',
      })
    if (message !== undefined) fail({ actual: value, expected: true, operator: '==', message })
    new Error('site')
    const text = calledText()
    const error = new AssertionError({
      actual: value,
      expected: true,
      operator: '==',
      message:
        text === undefined
          ? inspect(value) + ' == true'
          : 'The expression evaluated to a falsy value:\n\n  ' + text + '\n',
    })
    error.generatedMessage = true
    throw error
  }
  const assert = (...given) => ok(...given)
  Object.defineProperty(assert, 'name', { value: 'ok' })
  assert.ok = (...given) => ok(...given)
  const check = (operator, isRight) =>
    Object.defineProperty(
      (actual, expected, message) => {
        if (!isRight(actual, expected)) fail({ actual, expected, operator, message })
      },
      'name',
      { value: operator },
    )
  const loose = (one, other) => internal.equal(one, other, false)
  assert.equal = (actual, expected, message) => {
    // biome-ignore lint/suspicious/noDoubleEquals: it compares loosely, as Node does
    if (!(actual == expected || (Number.isNaN(actual) && Number.isNaN(expected))))
      fail({ actual, expected, operator: '==', message })
  }
  assert.notEqual = (actual, expected, message) => {
    // biome-ignore lint/suspicious/noDoubleEquals: it compares loosely, as Node does
    if (actual == expected || (Number.isNaN(actual) && Number.isNaN(expected)))
      fail({ actual, expected, operator: '!=', message })
  }
  assert.strictEqual = check('strictEqual', Object.is)
  assert.notStrictEqual = check('notStrictEqual', (one, other) => !Object.is(one, other))
  assert.deepEqual = check('deepEqual', loose)
  assert.notDeepEqual = check('notDeepEqual', (one, other) => !loose(one, other))
  assert.deepStrictEqual = check('deepStrictEqual', isDeepStrictEqual)
  assert.notDeepStrictEqual = check('notDeepStrictEqual', (one, other) => !isDeepStrictEqual(one, other))
  assert.fail = (message = 'Failed') => fail({ message, operator: 'fail' })
  assert.match = (text, pattern, message) => {
    if (typeof text !== 'string' || !pattern.test(text))
      fail({
        actual: text,
        expected: pattern,
        operator: 'match',
        message:
          message ||
          'The input did not match the regular expression ' + inspect(pattern) + '. Input:\n\n' + inspect(text) + '\n',
      })
  }
  assert.doesNotMatch = (text, pattern, message) => {
    if (pattern.test(text))
      fail({
        actual: text,
        expected: pattern,
        operator: 'doesNotMatch',
        message:
          message ||
          'The input was expected to not match the regular expression ' +
            inspect(pattern) +
            '. Input:\n\n' +
            inspect(text) +
            '\n',
      })
  }
  assert.ifError = (value) => {
    if (value !== null && value !== undefined)
      fail({
        actual: value,
        expected: null,
        operator: 'ifError',
        message: 'ifError got unwanted exception: ' + (value.message || inspect(value)),
      })
  }
  function expectedBy(error, expected, message, operator) {
    if (expected === undefined || typeof expected === 'string') return
    if (expected instanceof RegExp) {
      if (!expected.test(String(error)))
        fail({
          actual: error,
          expected,
          operator,
          message:
            message ||
            'The input did not match the regular expression ' +
              inspect(expected) +
              '. Input:\n\n' +
              inspect(String(error)) +
              '\n',
        })
    } else if (typeof expected === 'function') {
      if (expected.prototype !== undefined && error instanceof expected) return
      if (Object.prototype.isPrototypeOf.call(Error, expected) || expected === Error)
        throw message ? new AssertionError({ actual: error, expected, operator, message }) : error
      if (expected.call({}, error) !== true)
        fail({
          actual: error,
          expected,
          operator,
          message:
            message ||
            'The ' +
              (expected.name ? '"' + expected.name + '" ' : '') +
              'validation function is expected to return "true". Received ' +
              inspect(expected.call({}, error)) +
              '\n\nCaught error:\n\n' +
              error,
        })
    } else {
      for (const key of [...Object.keys(expected), ...(expected instanceof Error ? ['name', 'message'] : [])]) {
        const isSame =
          expected[key] instanceof RegExp && typeof error[key] === 'string'
            ? expected[key].test(error[key])
            : isDeepStrictEqual(error[key], expected[key])
        if (!isSame) {
          const pick = (value) => Object.fromEntries(Object.keys(expected).map((name) => [name, value[name]]))
          fail({ actual: pick(error), expected, operator: 'deepStrictEqual', message })
        }
      }
    }
  }
  const missing = (operator, expected, message) => {
    const text = typeof expected === 'string' ? expected : message
    const name = typeof expected === 'function' && expected.name ? ' (' + expected.name + ')' : ''
    const kind = operator === 'rejects' ? 'rejection' : 'exception'
    fail({
      actual: undefined,
      expected,
      operator,
      message: 'Missing expected ' + kind + name + (text ? ': ' + text : '.'),
    })
  }
  assert.throws = (run, expected, message) => {
    if (typeof run !== 'function') throw internal.wrongType('fn', 'of type function', run)
    let error
    try {
      run()
    } catch (thrown) {
      error = { thrown }
    }
    if (error === undefined) missing('throws', expected, message)
    expectedBy(error.thrown, expected, message, 'throws')
  }
  /** Anything can be thrown. */
  const messageOf = (error) => (error ? error.message : error)
  assert.doesNotThrow = (run, expected, message) => {
    try {
      run()
    } catch (error) {
      const text = typeof expected === 'string' ? expected : message
      fail({
        actual: error,
        expected,
        operator: 'doesNotThrow',
        message: 'Got unwanted exception' + (text ? ': ' + text : '.') + '\nActual message: "' + messageOf(error) + '"',
      })
    }
  }
  assert.rejects = async (given, expected, message) => {
    let error
    try {
      await (typeof given === 'function' ? given() : given)
    } catch (thrown) {
      error = { thrown }
    }
    if (error === undefined) missing('rejects', expected, message)
    expectedBy(error.thrown, expected, message, 'rejects')
  }
  assert.doesNotReject = async (given, expected, _message) => {
    try {
      await (typeof given === 'function' ? given() : given)
    } catch (error) {
      fail({
        actual: error,
        expected,
        operator: 'doesNotReject',
        message: 'Got unwanted rejection.\nActual message: "' + messageOf(error) + '"',
      })
    }
  }
  assert.AssertionError = AssertionError
  const strict = Object.assign((...given) => ok(...given), assert, {
    equal: assert.strictEqual,
    notEqual: assert.notStrictEqual,
    deepEqual: assert.deepStrictEqual,
    notDeepEqual: assert.notDeepStrictEqual,
  })
  strict.strict = strict
  assert.strict = strict
  return assert
})
$polyfs.internal.define('assert/strict', ({ builtin }) => builtin('assert').strict)
