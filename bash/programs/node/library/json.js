/** Says what is wrong with JSON in the words of V8, and where a circle is. */
'use strict'
;(() => {
  const nativeParse = JSON.parse
  const nativeStringify = JSON.stringify
  const context = 10

  class Fault extends Error {}

  /** Reads JSON only to find the first fault. */
  function faultIn(text) {
    let at = 0
    const fail = (message) => {
      throw new Fault(message)
    }
    const expected = (what) => fail('Expected ' + what + ' in JSON at position ' + at)
    const space = () => {
      while (at < text.length && ' \t\n\r'.includes(text[at])) at += 1
    }
    function unexpected() {
      if (at >= text.length) fail('Unexpected end of JSON input')
      const token = "Unexpected token '" + String.fromCodePoint(text.codePointAt(at)) + "', "
      if (text.length <= 4 * context) fail(token + '"' + text + '" is not valid JSON')
      const start = Math.max(0, at - context)
      const end = Math.min(text.length, at + context)
      fail(
        token +
          (start > 0 ? '...' : '') +
          '"' +
          text.slice(start, end) +
          '"' +
          (end < text.length ? '...' : '') +
          ' is not valid JSON',
      )
    }
    function string() {
      at += 1
      for (;;) {
        if (at >= text.length) fail('Unterminated string in JSON at position ' + at)
        const letter = text[at]
        if (letter === '"') break
        if (letter < ' ') fail('Bad control character in string literal in JSON at position ' + at)
        if (letter === '\\') {
          at += 1
          if (at >= text.length) fail('Unterminated string in JSON at position ' + at)
          if (text[at] === 'u') {
            for (let digit = 0; digit < 4; digit += 1) {
              at += 1
              if (!/[0-9a-fA-F]/.test(text[at] || ''))
                fail(
                  at >= text.length
                    ? 'Unterminated string in JSON at position ' + at
                    : 'Bad Unicode escape in JSON at position ' + at,
                )
            }
          } else if (!'"\\/bfnrt'.includes(text[at])) fail('Bad escaped character in JSON at position ' + at)
        }
        at += 1
      }
      at += 1
    }
    const isDigit = () => text[at] >= '0' && text[at] <= '9'
    function number() {
      if (text[at] === '-') {
        at += 1
        if (!isDigit()) fail('No number after minus sign in JSON at position ' + at)
      }
      if (text[at] === '0') {
        at += 1
        if (isDigit()) fail('Unexpected number in JSON at position ' + at)
      } else while (isDigit()) at += 1
      if (text[at] === '.') {
        at += 1
        if (!isDigit()) fail('Unterminated fractional number in JSON at position ' + at)
        while (isDigit()) at += 1
      }
      if (text[at] === 'e' || text[at] === 'E') {
        at += 1
        if (text[at] === '+' || text[at] === '-') at += 1
        if (!isDigit()) fail('Exponent part is missing a number in JSON at position ' + at)
        while (isDigit()) at += 1
      }
    }
    function word(expectedWord) {
      for (const letter of expectedWord) {
        if (text[at] !== letter) unexpected()
        at += 1
      }
    }
    function value() {
      space()
      const first = text[at]
      if (first === '{') object()
      else if (first === '[') array()
      else if (first === '"') string()
      else if (first === '-' || isDigit()) number()
      else if (first === 't') word('true')
      else if (first === 'f') word('false')
      else if (first === 'n') word('null')
      else unexpected()
      space()
    }
    function object() {
      at += 1
      space()
      if (text[at] === '}') return void (at += 1)
      if (text[at] !== '"') expected("property name or '}'")
      for (;;) {
        string()
        space()
        if (text[at] !== ':') expected("':' after property name")
        at += 1
        value()
        if (text[at] === '}') return void (at += 1)
        if (text[at] !== ',') expected("',' or '}' after property value")
        at += 1
        space()
        if (text[at] !== '"') expected('double-quoted property name')
      }
    }
    function array() {
      at += 1
      space()
      if (text[at] === ']') return void (at += 1)
      for (;;) {
        value()
        if (text[at] === ']') return void (at += 1)
        if (text[at] !== ',') expected("',' or ']' after array element")
        at += 1
      }
    }
    try {
      value()
      if (at < text.length) fail('Unexpected non-whitespace character after JSON at position ' + at)
    } catch (error) {
      if (error instanceof Fault) return error.message
      throw error
    }
    return undefined
  }

  function replace(name, run) {
    Object.defineProperty(run, 'name', { value: name, configurable: true })
    Object.defineProperty(JSON, name, { value: run, writable: true, configurable: true, enumerable: false })
  }
  replace('parse', function (text, reviver) {
    try {
      return nativeParse(text, reviver)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      const given = String(text)
      const isObject = given === 'undefined' || given === '[object Object]'
      const message = isObject ? '"' + given + '" is not valid JSON' : faultIn(given)
      if (message === undefined) throw error
      throw new SyntaxError(message)
    }
  })
  replace('stringify', function (value, replacer, space) {
    try {
      return nativeStringify(value, replacer, space)
    } catch (error) {
      if (error.message === 'Converting circular structure to JSON') {
        const where = circle(value)
        error.message += where
        error.stack = String(error.stack).replace('to JSON', 'to JSON' + where)
      }
      throw error
    }
  })

  function circle(root) {
    const path = []
    const walk = (value, key) => {
      if (value === null || typeof value !== 'object') return undefined
      const at = path.findIndex((each) => each.value === value)
      if (at !== -1) return { at, key }
      path.push({ value, key })
      for (const name of Object.keys(value)) {
        const found = walk(value[name], Array.isArray(value) ? 'index ' + name : "property '" + name + "'")
        if (found) return found
      }
      path.pop()
      return undefined
    }
    const found = walk(root)
    if (!found) return ''
    const named = (value) => "object with constructor '" + (value.constructor ? value.constructor.name : 'Object') + "'"
    const inner = path.slice(found.at + 1)
    const lines = inner.length > 2 ? [inner[0], undefined, inner[inner.length - 1]] : inner
    const middle = lines.map((each) =>
      each === undefined ? '\n    |     ...' : '\n    |     ' + each.key + ' -> ' + named(each.value),
    )
    return (
      '\n    --> starting at ' +
      named(path[found.at].value) +
      middle.join('') +
      '\n    --- ' +
      found.key +
      ' closes the circle'
    )
  }
})()
