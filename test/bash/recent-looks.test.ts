import { expect, test } from 'vitest'
import type { AppendableFiles } from '../../bash/io/command-tree.js'
import { recentLooks } from '../../bash/io/recent-looks.js'
import { FsError } from '../../src/errors.js'
import { memory } from '../../src/fs/backends/memory.js'

const names = Array.from({ length: 40 }, (_, index) => `f${String(index).padStart(2, '0')}`)

/** Files whose requests are counted: those of one turn go together. */
function counted(tree: Record<string, string> = Object.fromEntries(names.map((name) => [`/d/${name}`, name]))) {
  const fs = memory(tree)
  let asked: string[] = []
  let requests = 0
  let isOpen = false
  const files: AppendableFiles = {
    ...fs,
    async stat(path) {
      asked.push(path)
      if (!isOpen) requests += 1
      isOpen = true
      await Promise.resolve()
      isOpen = false
      return fs.stat(path)
    },
    realPath: async (path) => path,
    append: async (path) => fs.writeFile(path, new Uint8Array(1000)),
  }
  let nowMs = 0
  return {
    fs,
    looks: recentLooks(files, () => nowMs),
    pass: (ms: number) => {
      nowMs += ms
    },
    /** What was asked for since the last call. */
    taken() {
      const taken = { asked, requests }
      asked = []
      requests = 0
      return taken
    },
  }
}

test.each([
  ['as they are listed', (listed: string[]) => listed],
  ['by name', (listed: string[]) => [...listed].sort()],
  ['with some left out', (listed: string[]) => listed.filter((_, index) => index % 3 !== 2)],
])('entries that are looked at one after the other, %s, are asked for in few requests', async (_, order) => {
  const { looks, taken } = counted(Object.fromEntries([...names].reverse().map((name) => [`/d/${name}`, name])))
  const listed = (await looks.readDir('/d')).map(({ name }) => name)
  for (const name of order(listed)) expect((await looks.stat(`/d/${name}`)).size).toBe(3)
  const { asked, requests } = taken()
  expect(requests).toBeLessThan(9)
  expect(new Set(asked).size).toBe(asked.length)
})

test('one entry of a directory is asked for alone, and so are those that are looked at without an order', async () => {
  const { looks, taken } = counted()
  await looks.readDir('/d')
  for (const index of [20, 3, 31, 12]) await looks.stat(`/d/${names[index]}`)
  expect(taken().asked).toEqual(['/d/f20', '/d/f03', '/d/f31', '/d/f12'])
})

test('what was just looked at is not asked for again, until others may have changed it', async () => {
  const { fs, looks, taken, pass } = counted()
  await looks.stat('/d/f01')
  await expect(looks.stat('/d/none')).rejects.toThrow(FsError)
  pass(40)
  await looks.stat('/d/f01')
  await expect(looks.stat('/d/none')).rejects.toThrow(FsError)
  expect(taken().asked).toEqual(['/d/f01', '/d/none'])
  await fs.writeFile('/d/none', new Uint8Array(7))
  pass(20)
  expect((await looks.stat('/d/none')).size).toBe(7)
})

test('what the command changes is asked for again, and its other files are not', async () => {
  const { looks, taken } = counted()
  for (const name of ['f01', 'f02', 'f03']) await looks.stat(`/d/${name}`)
  taken()
  await looks.writeFile('/d/f02', new Uint8Array(20))
  await looks.append('/d/f03', new Uint8Array(20))
  expect((await looks.stat('/d/f02')).size).toBe(20)
  expect((await looks.stat('/d/f03')).size).toBe(1000)
  await looks.stat('/d/f01')
  expect(taken().asked).toEqual(['/d/f02', '/d/f03'])
  await looks.rename('/d/f01', '/d/f02')
  expect((await looks.stat('/d/f02')).size).toBe(3)
  await expect(looks.stat('/d/f01')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('files that are removed or get another name are asked for again, and others are not', async () => {
  const { fs, looks, taken } = counted()
  await fs.makeDir('/e')
  for (const name of ['f01', 'f02', 'f03']) await looks.stat(`/d/${name}`)
  await expect(looks.stat('/e/new')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  taken()
  await looks.remove('/d/f01')
  await looks.rename('/d/f02', '/e/new')
  await looks.stat('/d/f03')
  expect(taken().asked).toEqual([])
  expect((await looks.stat('/e/new')).size).toBe(3)
  for (const name of ['f01', 'f02']) {
    await expect(looks.stat(`/d/${name}`)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
  expect(taken().asked).toEqual(['/e/new', '/d/f01', '/d/f02'])
})

test('what can not be removed is asked for again', async () => {
  const { fs, looks, taken } = counted()
  await looks.stat('/d/f01')
  await fs.remove('/d/f01')
  await fs.makeDir('/d/f01')
  await fs.writeFile('/d/f01/below', new Uint8Array())
  await expect(looks.remove('/d/f01')).rejects.toMatchObject({ code: 'NOT_EMPTY' })
  taken()
  expect((await looks.stat('/d/f01')).kind).toBe('directory')
})

test('nothing is remembered while someone else changes the files', async () => {
  const { fs, looks } = counted()
  await looks.stat('/d/f01')
  const resume = looks.suspend()
  await fs.writeFile('/d/f01', new Uint8Array(5))
  expect((await looks.stat('/d/f01')).size).toBe(5)
  await fs.writeFile('/d/f01', new Uint8Array(6))
  resume()
  expect((await looks.stat('/d/f01')).size).toBe(6)
})
