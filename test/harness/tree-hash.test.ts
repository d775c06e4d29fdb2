import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { treeHash } from '../../harness/episode/tree-hash.js'
import { memory } from '../../src/fs/backends/memory.js'
import { childOf } from '../../src/fs/backends/memory-children.js'
import type { DirectoryNode, MemoryNode } from '../../src/fs/backends/memory-nodes.js'
import { scaled } from '../scale.js'

type Tree = ReturnType<typeof memory>

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

/** The same of every node, from the beginning. */
function hashOf(node: MemoryNode): string {
  return sha256(`${node.kind} ${node.mode.toString(8)}\n${contentOf(node)}`)
}

function contentOf(node: MemoryNode): string {
  if (node.kind === 'symlink') return node.target
  return node.kind === 'file' ? sha256(node.bytes) : linesOf(node)
}

function linesOf({ children }: DirectoryNode): string {
  const names = [...children.places.keys()].sort((a, b) => (a < b ? -1 : 1))
  return names.map((name) => `${hashOf(childOf(children, name) as MemoryNode)} ${name}\0`).join('')
}

const name = fc.constantFrom('a', 'b', 'é', '文件', '𐍈', 'long name', '\ud800')
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`)
const act = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path, text: fc.string({ maxLength: 4 }) }),
  fc.record({ do: fc.constant('directory' as const), path }),
  fc.record({ do: fc.constant('remove' as const), path }),
  fc.record({ do: fc.constant('rename' as const), path, to: path }),
  fc.record({ do: fc.constant('link' as const), path, to: path }),
  fc.record({ do: fc.constant('mode' as const), path, mode: fc.constantFrom(0o644, 0o755, 0o7) }),
  fc.record({ do: fc.constant('fork' as const), from: fc.nat(3) }),
)
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never

async function perform(tree: Tree, one: Act): Promise<void> {
  if (one.do === 'write') await tree.writeFile(one.path, new TextEncoder().encode(one.text))
  else if (one.do === 'directory') await tree.makeDir(one.path)
  else if (one.do === 'remove') await tree.remove(one.path)
  else if (one.do === 'rename') await tree.rename(one.path, one.to)
  else if (one.do === 'link') await tree.symlink?.(one.to, one.path)
  else if (one.do === 'mode') await tree.setMode?.(one.path, one.mode)
}

test('is that of all names, kinds, modes and contents, in every fork after every change', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(3), act), { minLength: 5, maxLength: 40 }), async (acts) => {
      const trees: Tree[] = [memory({ '/a/a/é': '1', '/a/b': '2', '/文件/b': '3' })]
      for (const [at, one] of acts) {
        const tree = trees[at % trees.length] as Tree
        if (one.do === 'fork') trees.push((trees[one.from % trees.length] as Tree).fork())
        // What is refused changes nothing.
        else await perform(tree, one).catch(() => {})
        const nodes = trees.map((each) => each.snapshot())
        expect(await Promise.all(nodes.map(treeHash))).toEqual(nodes.map(hashOf))
      }
    }),
    { numRuns: scaled(400) },
  )
})

test('of directories with many names, some of which end in others', async () => {
  const names = Array.from({ length: 40 }, (_, index) => [`n${index}`, `a n${index}`, `n${index} n${index}`]).flat()
  const named = fc.constantFrom(...names).map((each) => `/d/${each}`)
  const change = fc.oneof(
    fc.record({ do: fc.constant('write' as const), path: named, text: fc.string({ maxLength: 4 }) }),
    fc.record({ do: fc.constant('remove' as const), path: named }),
    fc.record({ do: fc.constant('rename' as const), path: named, to: named }),
    fc.record({ do: fc.constant('mode' as const), path: fc.oneof(named, fc.constant('/d')), mode: fc.constant(0o700) }),
    fc.record({ do: fc.constant('fork' as const), from: fc.nat(3) }),
  )
  const several = fc.array(change, { minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(fc.array(several, { minLength: 1, maxLength: 8 }), async (rounds) => {
      const trees: Tree[] = [memory(Object.fromEntries(names.slice(0, 80).map((each) => [`/d/${each}`, each])))]
      for (const changes of rounds) {
        for (const [at, one] of changes.entries()) {
          if (one.do === 'fork') trees.push((trees[one.from % trees.length] as Tree).fork())
          else await perform(trees[at % trees.length] as Tree, one as Act).catch(() => {})
        }
        const nodes = trees.map((each) => each.snapshot())
        expect(await Promise.all(nodes.map(treeHash))).toEqual(nodes.map(hashOf))
      }
    }),
    { numRuns: scaled(60) },
  )
})

test('of large directories too, and of trees that are hashed at once', async () => {
  const files = Array.from({ length: 600 }, (_, index) => [`/d/file ${index}`, String(index)])
  const base = memory(Object.fromEntries(files))
  const forks = [base, base.fork(), base.fork()]
  for (let round = 0; round < 5; round += 1) {
    for (const [index, fork] of forks.entries())
      await fork.writeFile(`/d/file ${round * 7 + index}`, new TextEncoder().encode(`${round} ${index}`))
    const nodes = forks.map((fork) => fork.snapshot())
    expect(await Promise.all(nodes.map(treeHash))).toEqual(nodes.map(hashOf))
  }
})
