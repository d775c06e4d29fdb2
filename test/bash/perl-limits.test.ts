/** What no program of perl may do: run on after its time, end the process by calls of calls, or search for ever. */
import { afterAll, describe, expect, test } from 'vitest'
import { createBash } from '../../node/bash.js'
import { memory } from '../../src/fs/backends/memory.js'
import { built } from '../node/cli/built.js'

const bash = createBash({ fs: memory(), worker: built('node/emulated-worker.js') })
afterAll(() => bash.close())

const timeoutMs = 1500

describe('endless programs end when their time is over', () => {
  test.each([
    '1 while 1',
    'for (;;) { $i++ }',
    'while (1) { eval { die 1 } }',
    'sub f { 1 } f() while 1',
    '$_ = "ab" x 1e6; tr/a-z/A-Z/ while 1',
    '@a = (3, 2, 1); @a = sort { $b <=> $a } @a while 1',
  ])('%s', async (program) => {
    const started = performance.now()
    const { exitCode } = await bash.exec(`perl -e '${program}'`, { timeoutMs })
    expect(exitCode).toBe(124)
    expect(performance.now() - started).toBeLessThan(20 * timeoutMs)
  })
})

describe('calls inside of calls', () => {
  test.each(['sub f { f($_[0] + 1) } f(0)', 'sub f { my @x = sort { f() } 1, 2 } f()', 'sub f { map { f() } 1 } f()'])(
    'are refused where they would fill the stack: %s',
    async (program) => {
      const { stdout, stderr, exitCode } = await bash.exec(`perl -e '${program}'`)
      expect({ stdout, stderr, exitCode }).toEqual({
        stdout: '',
        stderr: 'perl: calls inside of calls to this depth is not supported here\n',
        exitCode: 2,
      })
    },
  )

  test('can be thousands', async () => {
    const { stdout } = await bash.exec(`perl -e 'sub f { $_[0] ? 1 + f($_[0] - 1) : 0 } print f(3000)'`)
    expect(stdout).toBe('3000')
  })
})

describe('patterns that could search for ever', () => {
  test.each([
    ['"a" x 40 . "!"', '^(a+)+$', '0'],
    ['"a" x 30', '(a*)*b', '0'],
    ['"x" x 30', '(x+x+)+y', '0'],
    ['"a" x 3000', '(a|aa)+$', '1'],
  ])('%s =~ /%s/', async (text, pattern, answer) => {
    const { stdout, exitCode } = await bash.exec(`perl -e '$s = ${text}; print $s =~ /${pattern}/ ? 1 : 0'`)
    expect({ stdout, exitCode }).toEqual({ stdout: answer, exitCode: 0 })
  })

  test('are refused by name when there is no other way', async () => {
    const search = String.raw`$x = "a" x 5000; print $x =~ /(a*)(a*)(a*)\1\2\3b/ ? 1 : 0`
    const { stdout, stderr, exitCode } = await bash.exec(`perl -e '${search}'`)
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: '',
      stderr: 'perl: a pattern that takes this long is not supported here\n',
      exitCode: 2,
    })
  })
})

test.each([
  ['printf "%2000000000d", 1', 2, 'perl: a width of this size is not supported here\n'],
  ['$x = "abc" x 1e9', 255, 'Out of memory! at -e line 1.\n'],
])('text that is too long: %s', async (program, status, says) => {
  const { stderr, exitCode } = await bash.exec(`perl -e '${program}'`)
  expect({ stderr, exitCode }).toEqual({ stderr: says, exitCode: status })
})
