/** What is read ahead is what would be read when it is needed, whatever a command changes meanwhile, and little is read that is not needed. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AppendableFiles, commandTree, type FileStart } from '../../bash/io/command-tree.js'
import { recentLooks } from '../../bash/io/recent-looks.js'
import { readAll } from '../../bash/io/streams.js'
import { FsError } from '../../src/errors.js'
import { memory } from '../../src/fs/backends/memory.js'
import { confine } from '../../src/fs/gate/confine.js'
import { scaled } from '../scale.js'

const names = Array.from({ length: 12 }, (_, index) => `f${String(index).padStart(2, '0')}.${index % 3 ? 'ts' : 'md'}`)
const encoded = (text: string) => new TextEncoder().encode(text)

/** `d` and `e` with files, a link to each directory, and links to files. `asked` has the names that each request reads. */
function files(asked: string[][], { large = 0 } = {}): AppendableFiles {
  const tree: Record<string, string> = { '/e/f03.md': 'e', '/e/f04.ts': 'e4', '/sub/x/y': 'deep' }
  for (const name of names) tree[`/d/${name}`] = name.repeat(large || 1)
  const fs = confine(memory(tree), { roots: [{ path: '/', access: 'read-write' }] })
  async function readStart(path: string, length: number, maxSize = Number.POSITIVE_INFINITY): Promise<FileStart> {
    const stat = await fs.stat(path)
    if (stat.kind !== 'file' || (stat.size ?? 0) > maxSize) return { stat }
    return { stat, bytes: await fs.readFile(path, { start: 0, end: length }) }
  }
  return {
    ...fs,
    async append(path, data) {
      const before = await fs.readFile(path).catch(() => new Uint8Array())
      await fs.writeFile(path, Buffer.concat([before, data]))
    },
    readStart(path, length) {
      asked.push([path])
      return readStart(path, length)
    },
    async readStarts(directory, given, { length, maxSize }) {
      asked.push([...given])
      const found: Array<FileStart | FsError> = []
      for (const name of given) {
        found.push(await readStart(`${directory}/${name}`, length, maxSize).catch((error: FsError) => error))
      }
      return found
    },
  }
}

/** A tree that reads ahead, or one that asks for everything when it needs it. */
async function treeOf({ isAhead }: { isAhead: boolean }) {
  const plain = files([])
  const { readStart: _, readStarts: __, ...alone } = plain
  const tree = commandTree(isAhead ? recentLooks(plain, () => 0) : alone)
  await tree.symlink('d', '/k')
  await tree.symlink('../e/f03.md', '/d/l.md')
  await tree.symlink('f05.ts', '/d/m.ts')
  return tree
}

type Tree = Awaited<ReturnType<typeof treeOf>>

const directory = fc.constantFrom('/d', '/d', '/k', '/e')
const name = fc.constantFrom(...names, 'l.md', 'm.ts', 'new.ts')
const path = fc.tuple(directory, name).map((parts) => parts.join('/'))

interface Step {
  text: string
  run(tree: Tree): Promise<unknown>
}

async function content(tree: Tree, file: string): Promise<string> {
  return Buffer.from(await readAll(await tree.openRead(file))).toString()
}

const change: fc.Arbitrary<Step> = fc.oneof(
  path.map((file) => ({ text: `write ${file}`, run: (tree: Tree) => tree.writeFile(file, encoded(`new ${file}`)) })),
  path.map((file) => ({
    text: `append ${file}`,
    async run(tree: Tree) {
      const writer = await tree.openWrite(file, { append: true })
      await writer.write(encoded('more'))
      await writer.close()
    },
  })),
  path.map((file) => ({ text: `remove ${file}`, run: (tree: Tree) => tree.remove(file) })),
  fc
    .tuple(path, path)
    .map(([from, to]) => ({ text: `move ${from} ${to}`, run: (tree: Tree) => tree.rename(from, to) })),
  path.map((file) => ({ text: `chmod ${file}`, run: (tree: Tree) => tree.setMode(file, 0o200) })),
  fc.constant({ text: 'move /d', run: (tree: Tree) => tree.rename('/d', '/moved') }),
  fc.constant({
    text: 'relink /k',
    async run(tree: Tree) {
      await tree.remove('/k')
      await tree.symlink('e', '/k')
    },
  }),
)

/** Lists a directory and reads its files in some order, with a change between two of them. */
const walk = fc
  .record({ at: directory, order: fc.constantFrom('listed', 'sorted', 'ts', 'together'), after: fc.nat(12), change })
  .map(
    ({ at, order, after, change }): Step => ({
      text: `read ${at} ${order}, after ${after}: ${change.text}`,
      async run(tree) {
        let listed = (await tree.readDir(at)).map((entry) => entry.name)
        if (order !== 'listed') listed.sort()
        if (order === 'ts') listed = listed.filter((one) => one.endsWith('.ts'))
        const found: unknown[] = []
        for (const [index, one] of listed.entries()) {
          if (index === after) found.push(await settled(() => change.run(tree)))
          if (order !== 'together') found.push([one, await settled(() => content(tree, `${at}/${one}`))])
        }
        if (order !== 'together') return found
        const opened = await tree.openAll(at, listed)
        for (const one of opened) found.push(one instanceof FsError ? one.code : String(await readAll(one)))
        return found
      },
    }),
  )

async function settled(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof FsError) return error.code
    throw error
  }
}

test('a command reads the same with and without what is read ahead', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof({ arbitrary: walk, weight: 3 }, change), { maxLength: 6 }), async (steps) => {
      const [ahead, plain] = [await treeOf({ isAhead: true }), await treeOf({ isAhead: false })]
      for (const { text, run } of steps) {
        const [one, other] = [await settled(() => run(ahead)), await settled(() => run(plain))]
        expect([text, one]).toEqual([text, other])
      }
    }),
    { numRuns: scaled(1500) },
  )
})

async function readInOrder(asked: string[][], listed: readonly string[], options = {}): Promise<void> {
  const tree = commandTree(recentLooks(files(asked, options), () => 0))
  await tree.readDir('/d')
  for (const one of listed) await content(tree, `/d/${one}`)
}

test('files that are read one after the other take few requests, and each is read once', async () => {
  const asked: string[][] = []
  await readInOrder(asked, names)
  expect(asked.length).toBeLessThan(8)
  expect(asked.flat().length).toBe(names.length)
})

test('where a program stops, at most twice as much was read ahead as it has read', async () => {
  for (const count of [1, 2, 3, 5, 8]) {
    const asked: string[][] = []
    await readInOrder(asked, names.slice(0, count))
    expect(asked.flat().length).toBeLessThanOrEqual(count === 1 ? 1 : 3 * count)
  }
})

test('without an order nothing is read ahead, and of names with one ending only those', async () => {
  const unordered: string[][] = []
  await readInOrder(
    unordered,
    [7, 2, 9, 0].map((index) => names[index] as string),
  )
  expect(unordered.flat().length).toBe(4)
  const asked: string[][] = []
  await readInOrder(
    asked,
    names.filter((one) => one.endsWith('.md')),
  )
  expect(asked.flat().filter((one) => one.endsWith('.ts'))).toEqual([])
})

test('a file that is not small is read when it is needed', async () => {
  const asked: string[][] = []
  await readInOrder(asked, names, { large: 10_000 })
  expect(asked.filter((one) => one[0]?.startsWith('/')).length).toBe(names.length)
})
