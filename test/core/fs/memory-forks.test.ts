import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromNodes, type MemoryFileSystem, memory } from '../../../src/fs/backends/memory.js'
import { allChildren, childOf } from '../../../src/fs/backends/memory-children.js'
import type { DirectoryNode, MemoryNode } from '../../../src/fs/backends/memory-nodes.js'

const names = ['a', 'b', 'c']
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
const step = fc.oneof(
  fc.record({ do: fc.constant('writeFile' as const), path, text: fc.string({ maxLength: 3 }) }),
  fc.record({ do: fc.constant('makeDir' as const), path }),
  fc.record({ do: fc.constant('remove' as const), path }),
  fc.record({ do: fc.constant('rename' as const), path, to: path }),
  fc.record({ do: fc.constant('symlink' as const), path }),
  fc.record({ do: fc.constant('setMode' as const), path, mode: fc.constantFrom(0o755, 0o644, 0o600) }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

describe('forks', () => {
  test('each goes its own way, as a copy of the whole tree would', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ tree: fc.nat(5), forks: fc.boolean(), step }), { maxLength: 40 }),
        async (plan) => {
          const forked = [memory()]
          const copied = [memory()]
          for (const { tree, forks, step } of plan) {
            const at = tree % forked.length
            if (forks && forked.length < 6) {
              forked.push((forked[at] as MemoryFileSystem).fork())
              copied.push(await wholeCopy((copied[at] as MemoryFileSystem).snapshot()))
            }
            const [ours, theirs] = await Promise.all([
              outcome(forked[at] as MemoryFileSystem, step),
              outcome(copied[at] as MemoryFileSystem, step),
            ])
            expect(ours).toEqual(theirs)
          }
          expect(forked.map(contents)).toEqual(copied.map(contents))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('a snapshot never changes', async () => {
    const fs = memory({ '/d/a': 'one', '/d/b': 'two', '/e/c': 'three' })
    const before = fs.snapshot()
    const seen = JSON.stringify(described(before))
    await fs.writeFile('/d/a', new TextEncoder().encode('changed'))
    await fs.remove('/d/b')
    await fs.rename('/e', '/d/e')
    await fs.setMode?.('/d', 0o700)
    expect(JSON.stringify(described(before))).toBe(seen)
    expect(JSON.stringify(described(fs.snapshot()))).not.toBe(seen)
  })

  test('share what neither has changed', async () => {
    const fs = memory({ '/d/a': 'one', '/e/c': 'three' })
    const fork = fs.fork()
    await fork.writeFile('/d/a', new TextEncoder().encode('changed'))
    const [ours, theirs] = [fs.snapshot(), fork.snapshot()]
    expect(childOf(theirs.children, 'e')).toBe(childOf(ours.children, 'e'))
    expect(childOf(theirs.children, 'd')).not.toBe(childOf(ours.children, 'd'))
  })

  test('can be sent to a worker, and changed there', async () => {
    const fork = memory({ '/d/a': 'one', '/d/b': 'two', '/e/c': 'three' }).fork()
    await fork.writeFile('/d/a', new TextEncoder().encode('changed'))
    await fork.remove('/d/b')
    const sent = fromNodes(structuredClone(fork.snapshot()), {})
    expect(contents(sent)).toEqual(contents(fork))
    for (const fs of [fork, sent]) await fs.writeFile('/d/new', new TextEncoder().encode('new'))
    expect(contents(sent)).toEqual(contents(fork))
  })

  test('take the clock that is given', async () => {
    let time = 1000
    const fs = memory({ '/a': '' }, { now: () => time })
    time = 2000
    const fork = fs.fork({ now: () => 5000 })
    await fs.writeFile('/b', new Uint8Array())
    await fork.writeFile('/b', new Uint8Array())
    expect((await fs.stat('/a')).modifiedMs).toBe(1000)
    expect((await fs.stat('/b')).modifiedMs).toBe(2000)
    expect((await fork.stat('/b')).modifiedMs).toBe(5000)
  })
})

test('bytes that were given or returned can be changed without harm', async () => {
  const given = new TextEncoder().encode('text')
  const fs = memory({ '/seed': given })
  await fs.writeFile('/file', given)
  given.fill(0)
  const read = await fs.readFile('/file')
  read.fill(0)
  expect(new TextDecoder().decode(await fs.readFile('/file'))).toBe('text')
  expect(new TextDecoder().decode(await fs.readFile('/seed'))).toBe('text')
})

test('a file of a seed is not a directory of another', () => {
  expect(() => memory({ '/a': 'x', '/a/b': 'y' })).toThrow(expect.objectContaining({ code: 'NOT_A_DIRECTORY' }))
  expect(() => memory({ '/a/b': 'y', '/a': 'x' })).toThrow(expect.objectContaining({ code: 'IS_A_DIRECTORY' }))
})

async function outcome(fs: MemoryFileSystem, step: Step): Promise<string> {
  try {
    if (step.do === 'writeFile') await fs.writeFile(step.path, new TextEncoder().encode(step.text))
    else if (step.do === 'rename') await fs.rename(step.path, step.to)
    else if (step.do === 'symlink') await fs.symlink?.('target', step.path)
    else if (step.do === 'setMode') await fs.setMode?.(step.path, step.mode)
    else await fs[step.do](step.path)
    return 'done'
  } catch (error) {
    return (error as { code: string }).code
  }
}

/** Made without `fork`, node by node. */
async function wholeCopy(root: DirectoryNode): Promise<MemoryFileSystem> {
  const fs = memory()
  await fill(fs, '', root)
  return fs
}

async function fill(fs: MemoryFileSystem, at: string, directory: DirectoryNode): Promise<void> {
  for (const [name, node] of allChildren(directory.children)) {
    const path = `${at}/${name}`
    if (node.kind === 'file') await fs.writeFile(path, node.bytes)
    else if (node.kind === 'symlink') await fs.symlink?.(node.target, path)
    else {
      await fs.makeDir(path)
      await fill(fs, path, node)
    }
    if (node.kind !== 'symlink') await fs.setMode?.(path, node.mode)
  }
}

function contents(fs: MemoryFileSystem) {
  return described(fs.snapshot())
}

function described(node: MemoryNode): unknown {
  if (node.kind === 'file') return [node.mode, [...node.bytes]]
  if (node.kind === 'symlink') return node.target
  const children = [...allChildren(node.children)].sort(([a], [b]) => (a < b ? -1 : 1))
  return [node.mode, ...children.map(([name, child]) => [name, described(child)])]
}
