import { describe, expect, test } from 'vitest'
import type { FileSystem } from '../../src/fs/types.js'
import type { Shell } from '../../src/shell/types.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { type EscapeCase, escapeCases } from './cases.js'
import { plantedTrees, tryEscape } from './stage.js'

export interface EscapeTarget {
  /** A tree that was planted. */
  makeFs: () => Promise<FileSystem>
  shell: (workspace: Workspace) => Shell
  /** All by default. */
  cases?: readonly EscapeCase[]
}

/** One test per case, each on a tree that is as it was planted. */
export function describeEscapes(name: string, { makeFs, shell, cases = escapeCases }: EscapeTarget): void {
  describe(`from the emulated shell on ${name} no way leads out`, () => {
    const nextTree = plantedTrees(makeFs)

    test.each(cases)('$name', async (tried) => {
      const tree = await nextTree()
      if (tried.links && !tree.fs.capabilities.symlinks) return expect(tree.fs.symlink).toBe(undefined)
      expect((await tryEscape(tree, tried, { shell })).faults).toEqual([])
    })

    test('and the shell goes on working', async () => {
      const { shell: alive } = createWorkspace({ fs: await makeFs(), shell })
      const ran = await alive?.exec({ command: 'cat w/a.txt', cwd: '/', timeoutMs: 60_000, maxStreamBytes: 100 })
      expect(new TextDecoder().decode(ran?.stdout.bytes)).toBe('a\n')
    })
  })
}

/** That the cases try what they say: where everything is inside, they get there. */
export function describeControl({ makeFs, shell }: EscapeTarget): void {
  describe('where everything is part of the workspace', () => {
    const nextTree = plantedTrees(makeFs)

    test.each(escapeCases)('$name', async (tried) => {
      const { reads, changes } = await tryEscape(await nextTree(), tried, { shell, everything: true })
      if (tried.otherwise === 'reads') expect(reads).toBe(true)
      if (tried.otherwise === 'changes') expect(changes).toBe(true)
      if (tried.otherwise === 'refused') expect([reads, changes]).toEqual([false, false])
    })
  })
}
