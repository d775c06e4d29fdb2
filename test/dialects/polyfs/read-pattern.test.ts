import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { otherDialectHint, readPattern } from '../../../src/dialects/polyfs/forgive/read-pattern.js'

const read = (pattern: string, multiline = false) => readPattern(pattern, { multiline })

test('flags at the beginning are read where lines are searched one by one', () => {
  expect(read('(?i)abc')).toEqual({ pattern: 'abc', ignoreCase: true, assumed: ['(?i) as ignore_case'] })
  expect(read('(?ms)abc')).toEqual({ pattern: 'abc', assumed: [] })
  expect(read('(?i)abc', true)).toEqual({ pattern: '(?i)abc', assumed: [] })
  expect(read('a(?i)b')).toEqual({ pattern: 'a(?i)b', assumed: [] })
  expect(read('(?x)a b')).toEqual({ pattern: '(?x)a b', assumed: [] })
})

test('classes of POSIX are read within brackets only', () => {
  expect(read('[^[:space:]_][[:digit:]]').pattern).toBe('[^\\s_][0-9]')
  expect(read('[:alpha:] \\[[:alpha:] [a][:alpha:]').assumed).toEqual([])
  expect(read('[[:nothing:]]').assumed).toEqual([])
})

test('every class finds the characters that grep finds', () => {
  const names = [
    'alpha',
    'digit',
    'alnum',
    'upper',
    'lower',
    'xdigit',
    'space',
    'blank',
    'punct',
    'cntrl',
    'print',
    'graph',
  ]
  // NUL and line feed are not part of a line of text.
  const characters = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code + 1)).filter(
    (one) => one !== '\n',
  )
  for (const name of names) {
    for (const [open, close] of [
      ['^[[:', ':]]$'],
      ['^[^[:', ':]]$'],
    ] as const) {
      const pattern = `${open}${name}${close}`
      const printed = execFileSync('grep', ['-E', pattern], {
        input: characters.map((one) => `${one}\n`).join(''),
        env: { LC_ALL: 'C', PATH: process.env.PATH },
      }).toString('latin1')
      const own = characters.filter((one) => new RegExp(read(pattern).pattern, 'u').test(one))
      expect(own, pattern).toEqual(printed.split('\n').slice(0, -1))
    }
  }
})

test('what other tools write in another way is hinted at', () => {
  expect(otherDialectHint('a\\|b')).toBe('[\\| is the character | here; alternatives are written a|b]')
  expect(otherDialectHint('\\<a\\>')).toBe('[edges of words are written \\b here]')
  expect(otherDialectHint('a|b\\\\|c\\\\<')).toBeUndefined()
})
