import { expect, test } from 'vitest'
import { memory } from '../../../src/fs/backends/memory.js'
import { overlay } from '../../../src/fs/backends/overlay.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (given: Uint8Array) => new TextDecoder().decode(given)

test.each(['lower', 'upper'])('a file of the %s layer that another replaces exists all the time', async (layer) => {
  const fs = overlay(memory({ '/a': 'old' }), memory())
  if (layer === 'upper') await fs.writeFile('/a', bytes('old'))
  await fs.writeFile('/new', bytes('new'))
  let isOver = false
  const renamed = fs.rename('/new', '/a').finally(() => {
    isOver = true
  })
  const looks: Promise<string>[] = []
  while (!isOver) {
    looks.push(fs.readFile('/a').then(text, String))
    await null
  }
  await renamed
  expect(new Set(await Promise.all(looks))).toEqual(new Set(['old', 'new']))
  expect(text(await fs.readFile('/a'))).toBe('new')
  await fs.remove('/a')
  expect(await fs.readDir('/')).toEqual([])
})
