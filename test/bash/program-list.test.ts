import { expect, test } from 'vitest'
import { programFolders } from '../../bash/programs/index.js'

test('the list of programs has exactly the names of those that its folders define', async () => {
  const all: string[] = []
  for (const { names, load } of programFolders) {
    const defined = (await load()).flatMap(({ name, aliases = [] }) => [name, ...aliases])
    expect([...names.split(' ')].sort()).toEqual(defined.sort())
    all.push(...defined)
  }
  expect(new Set(all).size).toBe(all.length)
})
