import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('every test that SECURITY.md names exists', () => {
  const page = readFileSync(new URL('../SECURITY.md', import.meta.url), 'utf8')
  const named = [...page.matchAll(/`(test\/[\w/-]+)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(20)
  const missing = named.filter(
    (path) => !['', '.test.ts'].some((end) => existsSync(new URL(`../${path}${end}`, import.meta.url))),
  )
  expect(missing).toEqual([])
})
