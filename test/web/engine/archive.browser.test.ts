/** The archives of the corpus in a real browser, unpacked into memory and into OPFS. */
import { describe, expect, test } from 'vitest'
import { isFsError } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { extractArchive } from '../../../src/ops/archive/extract-archive.js'
import { exportZip, importZip } from '../../../src/ops/archive/import-export-zip.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import type { Workspace } from '../../../src/workspace/workspace.js'
import { openOpfs } from '../../../web/opfs/opfs-workspace.js'
import { type CorpusCase, corpus, moreCases } from '../../core/archive/corpus.js'
import { sample } from '../../scale.js'

const made = new Map<CorpusCase, Promise<Uint8Array>>()

function bytesOf(each: CorpusCase): Promise<Uint8Array> {
  const bytes = made.get(each) ?? each.make()
  made.set(each, bytes)
  return bytes
}

const places: ReadonlyArray<[string, () => Promise<Workspace>]> = [
  ['memory', async () => createWorkspace({ fs: memory() })],
  ['OPFS', () => openOpfs(`archive-${crypto.randomUUID()}`)],
]

describe.each(places)('%s', (_name, open) => {
  test.each(sample([...corpus, ...moreCases], { every: 3 }).map((each) => [each.name, each] as const))(
    '%s',
    async (_case, each) => {
      const workspace = await open()
      await workspace.ready
      await workspace.changes.run({ label: 'plant', scopes: [{ path: '/a.zip' }] }, async (draft) =>
        draft.write('/a.zip', await bytesOf(each)),
      )
      const input = extractArchive.input.parse({ path: 'a.zip', to: 'out' })
      const outcome = await extractArchive.run(input, workspace, {}).catch((error) => {
        if (!isFsError(error)) throw error
        return { code: error.code, ...error.facts }
      })
      const { expected } = each
      if (expected.verdict === 'deny') {
        expect(outcome).toEqual({ path: '/a.zip', ...expected.failure })
        expect(await workspace.fs.readDir('/')).toEqual([{ name: 'a.zip', kind: 'file' }])
        return
      }
      expect(outcome).toMatchObject({ warnings: expected.verdict === 'flag' ? expected.warnings : [] })
      expect(await treeOf(workspace, '/out')).toEqual(expected.tree)
    },
  )

  test('a workspace goes out and comes back', async () => {
    const from = createWorkspace({ fs: memory({ 'a.txt': 'a', 'deep/er/b.txt': 'b'.repeat(10_000), 'empty/': '' }) })
    const workspace = await open()
    expect(await importZip(workspace, await exportZip(from))).toMatchObject({ files: 2, directories: 3 })
    expect(await treeOf(workspace, '/')).toEqual(await treeOf(from, '/'))
    expect(await workspace.history.undo()).toMatchObject({ label: 'undo extract' })
    expect(await workspace.fs.readDir('/')).toEqual([])
  })
})

/** In the form of the corpus: text by path, and only empty directories. */
async function treeOf({ fs }: Workspace, directory: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {}
  for await (const { path, kind } of walk(fs, directory)) {
    const name = path.slice(directory === '/' ? 1 : directory.length + 1)
    if (kind === 'directory') tree[`${name}/`] = ''
    else tree[name] = readable(await fs.readFile(path))
  }
  return tree
}

function readable(bytes: Uint8Array): string {
  return bytes[0] === 0x50 && bytes[1] === 0x4b ? '(binary)' : new TextDecoder().decode(bytes)
}
