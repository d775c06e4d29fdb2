import { expect, test } from 'vitest'
import { statusLine } from '../../../node/terminal/status-line.js'

test('it is drawn ten times a second at most, shorter than the terminal, and erased once', () => {
  const written: string[] = []
  let ms = 0
  const line = statusLine({ columns: 6, write: (text) => written.push(text), now: () => ms })
  line.show('first')
  ms = 99
  line.show('too early')
  line.draw('by force')
  ms = 199
  line.show('later')
  line.erase()
  line.erase()
  const start = '\r\u001b[K'
  expect(written).toEqual([`${start}first`, `${start}by fo`, `${start}later`, start])
})

test('it writes nothing without a terminal', () => {
  const written: string[] = []
  const line = statusLine({ columns: undefined, write: (text) => written.push(text) })
  line.show('a')
  line.draw('b')
  line.erase()
  expect(written).toEqual([])
})
