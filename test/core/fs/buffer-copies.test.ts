import { expect, test } from 'vitest'
import { keyValue } from '../../../src/fs/backends/key-value/file-system.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { sqlite } from '../../../src/fs/backends/sqlite/workspaces.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { mapStore } from './key-value-stores.js'
import { sqlJs } from './sqlite-database.js'

const stores: Readonly<Record<string, () => Promise<FileSystem>>> = {
  memory: async () => memory(),
  sqlite: async () => sqlite((await sqlJs())()),
  'key-value': async () => keyValue(mapStore()),
}

for (const [name, make] of Object.entries(stores)) {
  test(`${name} keeps copies of a Buffer and gives copies, whose slices share memory`, async () => {
    const fs = await make()
    const given = Buffer.from('0123456789').subarray(2, 6)
    await fs.writeFile('/a', given)
    given[0] = 0x78
    const read = await fs.readFile('/a')
    expect(Buffer.from(read).toString()).toBe('2345')
    expect(read.buffer.byteLength).toBe(4)
    read[1] = 0x79
    expect(Buffer.from(await fs.readFile('/a')).toString()).toBe('2345')
  })
}

test('a tree in memory copies the Buffers that it starts with', async () => {
  const given = Buffer.from('start')
  const fs = memory({ a: given })
  given.fill(0)
  expect(Buffer.from(await fs.readFile('/a')).toString()).toBe('start')
})
