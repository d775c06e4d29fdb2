import { expect, test } from 'vitest'
import { showProgress } from '../../../node/eval/progress.js'
import { resultsOf } from '../../harness/report/results.js'

test('without a terminal: a line for each episode, with its reason, and no control characters', () => {
  let shown = ''
  const write = (text: string) => {
    shown += text
  }
  const progress = showProgress({ total: 5, done: 2, write })
  for (const result of resultsOf(['a\u001b[2J'])) progress.show(result)
  progress.say('a note')
  progress.end()
  expect(shown).toBe(`3/5  a\\u{1b}[2J #1  failed 0.50: because of a\\u{1b}[2J
4/5  a\\u{1b}[2J #2  budget 0.50: because of a\\u{1b}[2J
5/5  a\\u{1b}[2J #3  agent-error 0.50: because of a\\u{1b}[2J
a note
`)
})

test('on a terminal: one line that fits into it, erased at the end', () => {
  const written: string[] = []
  const progress = showProgress({ total: 3, done: 0, columns: 20, write: (text) => written.push(text) })
  for (const result of resultsOf(['a'])) progress.show(result)
  progress.say('a note')
  progress.end()
  const lines = written.join('').split('\r\u001b[K').slice(1)
  expect(lines[0]).toBe('0/3  running')
  expect(lines.every((line) => line.endsWith('\n') || line.length < 20)).toBe(true)
  expect(lines).toContain('3/3  1 failed, 1 bu')
  expect(lines).toContain('a note\n')
  expect(lines.at(-1)).toBe('')
  expect(written.join('').match(/\n/g)).toEqual(['\n'])
})
