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
    notIdentical: 'Values have same structure but are not reference-equal:',
    notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:',
  }

  class AssertionError extends Error {
    constructor({ message, actual, expected, operator }) {
      super(describe(actual, expected, operator, message))
      Object.defineProperty(this, 'name', {
        value: 'AssertionError',
        writable: true,
        configurable: true,
        enumerable: false,
      })
      this.generatedMessage = !message
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
    /** The message shows both values; beside it they would be too much. */
    [inspect.custom](_depth, context) {
      const { actual, expected } = this
      if (typeof actual === 'string') this.actual = shortened(actual)
      if (typeof expected === 'string') this.expected = shortened(expected)
      const text = inspect(this, { ...context, customInspect: false, depth: 0 })
      Object.assign(this, { actual, expected })
      return text
    }
  }
  Object.defineProperty(AssertionError.prototype, inspect.custom, { enumerable: false })
  function shortened(text) {
    const lines = text.split('\n', 11)
    if (lines.length > 10) return lines.slice(0, 10).join('\n') + '\n...'
    return text.length > 512 ? text.slice(512) + '...' : text
  }
  const cut = (text, size) => (text.length > size ? text.slice(0, size - 3) + '...' : text)

  function describe(actual, expected, operator, message) {
    if (operator === 'deepStrictEqual' || operator === 'strictEqual')
      return difference(actual, expected, operator, message ?? undefined)
    if (message !== undefined && message !== null) return String(message)
    if (operator === 'notDeepStrictEqual' || operator === 'notStrictEqual') {
      const isReference =
        operator === 'notStrictEqual' &&
        ((typeof actual === 'object' && actual !== null) || typeof actual === 'function')
      const base = isReference ? operators.notStrictEqualObject : operators[operator]
      const lines = shown(actual).split('\n')
      if (lines.length === 1) return base + (lines[0].length > 5 ? '\n\n' : ' ') + lines[0]
      return base + '\n\n' + (lines.length > maxShownLines ? [...lines.slice(0, 46), '...'] : lines).join('\n') + '\n'
    }
    const one = shown(actual)
    const other = shown(expected)
    if (operator === 'notDeepEqual' && one === other) return cut(operators.notDeepEqual + '\n\n' + one, 1024)
    if (operator === 'deepEqual')
      return operators.deepEqual + '\n\n' + cut(one, 512) + '\n\nshould loosely deep-equal\n\n' + cut(other, 512)
    if (operator === 'notDeepEqual')
      return (
        operators.notDeepEqualUnequal +
        '\n\n' +
        cut(one, 512) +
        '\n\nshould not loosely deep-equal\n\n' +
        cut(other, 512)
      )
    return cut(one, 512) + ' ' + operator + ' ' + cut(other, 512)
  }

  const maxShownLines = 50
  function difference(actual, expected, operator, message) {
    const one = shown(actual).split('\n')
    const other = shown(expected).split('\n')
    const isObject = (value) => typeof value === 'object' && value !== null
    const areBoth = (test) => test(actual) && test(expected)
    const isReference =
      operator === 'strictEqual' && (areBoth(isObject) || areBoth((value) => typeof value === 'function'))
    const header = message || (isReference ? operators.strictEqualObject : operators[operator])
    let mark = ''
    if (one.length === 1 && other.length === 1 && one[0] !== other[0]) {
      const size = one[0].length + other[0].length
      if (size <= 12) {
        if (!isObject(actual) && !isObject(expected) && (actual !== 0 || expected !== 0))
          return header + '\n\n' + one[0] + ' !== ' + other[0] + '\n'
      } else if (!isReference && size < 80) {
        let same = 0
        while (one[0][same] === other[0][same]) same += 1
        if (same > 2) mark = '\n' + ' '.repeat(same + 2) + '^'
      }
    }
    const lines = [...one]
    const end = commonEnd(one, other)
    if (one.length === 0 && other.length === 0) {
      const text = lines.length > maxShownLines ? [...lines.slice(0, 46), '...'] : lines
      return operators.notIdentical + '\n\n' + text.join('\n') + '\n'
    }
    const { text, isSkipped, isCut } = compared(one, other)
    const about = header + '\n+ actual - expected'
    if (isCut) return about + ' ... Lines skipped\n' + text + '\n...'
    return about + (isSkipped || end.isSkipped ? ' ... Lines skipped' : '') + '\n' + text + end.text + mark
  }

  /** Takes the lines away that both end with. */
  function commonEnd(one, other) {
    let text = ''
    let count = 0
    let first = ''
    while (one.length > 0 && other.length > 0 && one.at(-1) === other.at(-1)) {
      if (count < 3) text = '\n  ' + one.at(-1) + text
      else first = '\n  ' + one.at(-1)
      count += 1
      one.pop()
      other.pop()
    }
    if (one.length === 0 && other.length === 0) return { text, isSkipped: false }
    const isSkipped = count >= 5
    return { text: first + (isSkipped ? '\n...' : '') + text, isSkipped }
  }

  /** Both line by line, as Node 20 does it: a line that only one of them has shifts all that follow. */
  function compared(one, other) {
    const count = Math.max(one.length, other.length)
    const longer = one.length < count ? other : one
    const common = Math.min(one.length, other.length)
    let text = ''
    let wanted = ''
    let printed = 0
    let identical = 0
    let isSkipped = false
    const put = (line) => {
      text += '\n' + line
      printed += 1
    }
    /** Of equal lines before a difference, the two next to it. */
    function putIdentical(lines, at) {
      if (identical > 4) {
        if (identical === 5) put('  ' + lines[at - 3])
        else {
          text += '\n...'
          isSkipped = true
        }
      }
      if (identical > 3) put('  ' + lines[at - 2])
      if (identical > 2) put('  ' + lines[at - 1])
      identical = 0
    }
    for (let at = 0; at < count; at += 1) {
      if (at >= common) {
        putIdentical(longer, at)
        if (longer === one) text += '\n+ ' + longer[at]
        else wanted += '\n- ' + longer[at]
        printed += 1
      } else {
        const isSame = one[at] === other[at] || one[at] === other[at] + ','
        const isSameWithComma = other[at] === one[at] + ','
        if (isSame || isSameWithComma) {
          text += wanted
          wanted = ''
          identical += 1
          if (identical <= 2) put('  ' + one[at] + (isSameWithComma ? ',' : ''))
        } else {
          putIdentical(one, at)
          text += '\n+ ' + one[at]
          wanted += '\n- ' + other[at]
          printed += 2
        }
      }
      if (printed > maxShownLines && at < count - 2)
        return { text: text + '\n...' + wanted, isSkipped: true, isCut: true }
    }
    return { text: text + wanted, isSkipped, isCut: false }
  }

  function fail(details) {
    if (details.message instanceof Error) throw details.message
    throw new AssertionError(details)
  }
  function calledText() {
    const site = internal.lastSite
    if (site === undefined) return undefined
    const line = internal.lineAt(site.getFileName(), site.getLineNumber())
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
  const matched = (operator, wanted, told) =>
    Object.defineProperty(
      (text, pattern, message) => {
        if (!internal.builtin('util').types.isRegExp(pattern))
          throw internal.wrongType('regexp', 'an instance of RegExp', pattern)
        if (typeof text === 'string' && pattern.test(text) === wanted) return
        const generated =
          typeof text === 'string'
            ? told + inspect(pattern) + '. Input:\n\n' + inspect(text) + '\n'
            : 'The "string" argument must be of type string. Received type ' + typeof text + ' (' + inspect(text) + ')'
        if (message instanceof Error) throw message
        const error = new AssertionError({ actual: text, expected: pattern, operator, message: message || generated })
        error.generatedMessage = !message
        throw error
      },
      'name',
      { value: operator },
    )
  assert.match = matched('match', true, 'The input did not match the regular expression ')
  assert.doesNotMatch = matched('doesNotMatch', false, 'The input was expected to not match the regular expression ')
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
