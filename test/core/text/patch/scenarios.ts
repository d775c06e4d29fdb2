import { readFileSync } from 'node:fs'
import { applyHunks } from '../../../../src/text/patch/apply-hunks.js'
import type { FilePatch } from '../../../../src/text/patch/patch.js'

export type Tree = Readonly<Record<string, string>>

/** One row of test/data/patches: a patch and what comes of it. */
export interface Scenario {
  name: string
  /** Lines, to be joined by LF. */
  patch: readonly string[]
  before?: Tree
  after?: Tree
  modes?: Readonly<Record<string, number>>
  malformed?: { line: number; reason: string }
  mismatch?: { path: string; hunk: number; reason: string; line?: number; lines?: readonly number[] }
  /** Why `git apply` does otherwise. */
  notGit?: string
}

export function readScenarios(file: string): Scenario[] {
  return JSON.parse(readFileSync(new URL(`../../../data/patches/${file}`, import.meta.url), 'utf8'))
}

export function patchText({ patch }: Scenario): string {
  return patch.map((line) => `${line}\n`).join('')
}

/** Applies the patch to a tree of texts; the result is in the form of a scenario. */
export function applyToTree(
  patches: readonly FilePatch[],
  before: Tree,
): Pick<Scenario, 'after' | 'modes' | 'mismatch'> {
  const tree: Record<string, string> = { ...before }
  const modes: Record<string, number> = {}
  for (const patch of patches) {
    const { path } = patch
    const applied = applyHunks(tree[path] ?? '', patch.hunks ?? [])
    if (!applied.ok) {
      const { ok: _, ...mismatch } = applied
      return { mismatch: { path, ...mismatch } }
    }
    delete tree[path]
    if (patch.kind === 'delete') continue
    const target = patch.kind === 'rename' ? patch.toPath : path
    tree[target] = applied.text
    if (patch.mode !== undefined) modes[target] = patch.mode
  }
  return { after: tree, ...(Object.keys(modes).length > 0 && { modes }) }
}
