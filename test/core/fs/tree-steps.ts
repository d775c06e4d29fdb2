/** Generated operations on a tree, and what they and the tree come to. */
import fc from 'fast-check'
import type { FileSystem } from '../../../src/fs/types.js'

const names = ['a', 'b', '\ufeffc', 'D', 'd', 'ü ‑', '😀']
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
const mode = fc.constantFrom(0o755, 0o644, 0o600, 0o500, 0o400, 0o300, 0)
export const treeStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('writeFile' as const), path, text: fc.string({ maxLength: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('exclusive' as const), path, mode }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('makeDir' as const), path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), path }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rename' as const), path, to: path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('symlink' as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('setMode' as const), path, mode }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('setModified' as const),
      path,
      at: fc.double({ min: 0, max: 1e12, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('readDir' as const), path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('readFile' as const), path }) },
)
export type TreeStep = typeof treeStep extends fc.Arbitrary<infer One> ? One : never

/** The result, or the error with its facts. */
export async function outcome(fs: FileSystem, step: TreeStep): Promise<unknown> {
  try {
    if (step.do === 'writeFile') await fs.writeFile(step.path, new TextEncoder().encode(step.text))
    else if (step.do === 'exclusive')
      await fs.writeFile(step.path, new Uint8Array(), { exclusive: true, mode: step.mode })
    else if (step.do === 'rename') await fs.rename(step.path, step.to)
    else if (step.do === 'symlink') await fs.symlink?.('\ufefftarget', step.path)
    else if (step.do === 'setMode') await fs.setMode?.(step.path, step.mode)
    else if (step.do === 'setModified') await fs.setModified?.(step.path, step.at)
    else return await fs[step.do](step.path)
    return 'done'
  } catch (error) {
    const { code, facts } = error as { code: string; facts: unknown }
    return [code, facts]
  }
}

/** Every entry with all that is known of it. Directories that may not be read are made readable in a copy. */
export async function whole(fs: FileSystem, at = '/'): Promise<unknown> {
  const stat = await fs.stat(at)
  if (stat.kind === 'symlink') return [stat, await fs.readLink?.(at)]
  try {
    if (stat.kind === 'file') return [stat, [...(await fs.readFile(at))]]
    const entries = await fs.readDir(at)
    const below: unknown[] = []
    for (const { name } of entries) below.push([name, await whole(fs, at === '/' ? `/${name}` : `${at}/${name}`)])
    return [stat, below]
  } catch (error) {
    return [stat, (error as { code: string }).code]
  }
}
