/** Patches of real diff and git, and our own compact ones, on random trees: applied whole, in part, and again. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ComparedFile, diffRows } from '../../../src/dialects/polyfs/diff-rows.js'
import { tools } from '../../../src/dialects/tool-definitions.js'
import { applyPatch, applyPatchPartly } from '../../../src/ops/apply-patch.js'
import { parseUnifiedPatch } from '../../../src/text/patch/unified-patch.js'
import { backends, type Stage, type Tree } from '../../core/ops/stage.js'
import { scaled } from '../../scale.js'

type Texts = Record<string, string>

const path = fc.constantFrom('a.txt', 'b c.txt', 'd/e.ts', 'd/f.ts', 'd/g/h', 'ü.md', 'i', 'q"uote', 'x -> y', 'z (1)')
/** Few different lines, so that they repeat; some could pass for the syntax of a patch. */
const line = fc.constantFrom(
  'a',
  'b',
  '',
  '  a',
  '}',
  'three words here',
  '-- a',
  '++ b',
  '@@ -1 +1 @@',
  'changed i',
  'é “x”',
)
const text = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 30 }), fc.constantFrom('', '\n', '\n'))
  .map(([lines, last]) => `${lines.join('\n')}${last}`)
  .filter((content) => content !== '')

/** A file is left alone, edited, moved, rewritten or deleted. */
const fate = fc.oneof(
  fc.constant({ kind: 'stay' } as const),
  fc.record({
    kind: fc.constant('edit' as const),
    at: fc.nat(30),
    drop: fc.nat(3),
    put: fc.array(line, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('move' as const), to: path }),
  fc.record({ kind: fc.constant('rewrite' as const), text }),
  fc.constant({ kind: 'delete' } as const),
)

const trees = fc
  .tuple(
    fc.dictionary(path, fc.tuple(text, fate), { minKeys: 1, maxKeys: 7 }),
    fc.dictionary(path, text, { maxKeys: 3 }),
  )
  .map(([files, created]) => {
    const before: Texts = {}
    const after: Texts = {}
    for (const [name, [content, what]] of Object.entries(files)) {
      before[name] = content
      if (what.kind === 'stay') after[name] ??= content
      else if (what.kind === 'rewrite') after[name] ??= what.text
      else if (what.kind === 'move') after[what.to] ??= content
      else if (what.kind === 'edit') {
        const lines = content.split('\n')
        lines.splice(what.at % lines.length, what.drop, ...what.put)
        after[name] ??= lines.join('\n')
      }
    }
    for (const [name, content] of Object.entries(created)) after[name] ??= content
    return { before, after: Object.fromEntries(Object.entries(after).filter(([, content]) => content !== '')) }
  })
  .filter(({ before, after }) => JSON.stringify(sorted(before)) !== JSON.stringify(sorted(after)))

function sorted(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What the compact form makes of two trees. */
async function compactly(before: Texts, after: Texts): Promise<string> {
  const files = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name): ComparedFile[] => {
    const [old, now] = [before[name], after[name]]
    if (old === now) return []
    if (old === undefined)
      return [{ kind: 'created', path: name, after: now as string, content: { id: now as string } }]
    if (now === undefined) return [{ kind: 'deleted', path: name, before: old, content: { id: old } }]
    return [{ kind: 'changed', path: name, before: old, after: now }]
  })
  const { rows, notes } = await diffRows(files)
  return `${[...rows, ...notes].join('\n')}\n`
}

function directory(): string {
  const base = mkdtempSync(join(tmpdir(), 'polyfs-patch-'))
  onTestFinished(() => rmSync(base, { recursive: true }))
  return base
}

function plant(base: string, texts: Texts): void {
  for (const [name, content] of Object.entries(texts)) {
    mkdirSync(dirname(join(base, name)), { recursive: true })
    writeFileSync(join(base, name), content)
  }
}

/** What a program prints; differences are not failure. */
function printed(program: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string }
    if (status !== 1) throw error
    return stdout
  }
}

let count = 0

function fresh(base: string): string {
  count += 1
  const at = join(base, String(count))
  mkdirSync(at)
  return at
}

function gnuDiff(base: string, before: Texts, after: Texts): string {
  const at = fresh(base)
  for (const [side, texts] of Object.entries({ a: before, b: after })) {
    mkdirSync(join(at, side))
    plant(join(at, side), texts)
  }
  return printed('diff', ['-ruN', 'a', 'b'], at)
}

/** With renames. */
function gitDiff(base: string, before: Texts, after: Texts): string {
  const at = fresh(base)
  const git = (...args: string[]) => printed('git', ['-c', 'core.autocrlf=false', ...args], at)
  git('init', '-q')
  plant(at, before)
  git('add', '-A')
  const old = git('write-tree').trim()
  for (const name of Object.keys(before)) rmSync(join(at, name))
  plant(at, after)
  git('add', '-A')
  return git('diff', '--cached', '-M', old)
}

const makers: Record<string, (base: string, before: Texts, after: Texts) => string | Promise<string>> = {
  'GNU diff': gnuDiff,
  'git diff': gitDiff,
  'our compact form': (_base, before, after) => compactly(before, after),
}

/** Files that are moved without a look at their content. */
function movedBlindly(patch: string): Set<string> {
  const blocks = parseUnifiedPatch(patch, { compact: true })
  return new Set(
    blocks.flatMap(({ kind, path, hunks = [] }) => (kind === 'rename' && hunks.length === 0 ? [path] : [])),
  )
}

async function filesOf(stage: Stage): Promise<Tree> {
  return Object.fromEntries(Object.entries(await stage.tree()).filter(([name]) => !name.endsWith('/')))
}

describe.each(backends)('patches %s', (_name, open) => {
  test.each(Object.entries(makers))('of %s turn one tree into the other', async (_maker, make) => {
    const base = directory()
    await fc.assert(
      fc.asyncProperty(trees, async ({ before, after }) => {
        const patch = await make(base, before, after)
        const stage = await open(before)
        await stage.run(applyPatch, { patch, compact: true })
        expect(await filesOf(stage)).toEqual(after)
      }),
      { numRuns: scaled(60) },
    )
  })

  test.each(Object.entries(makers))(
    'of %s in part: each file whole or not at all, and the rest still fits',
    async (_maker, make) => {
      const base = directory()
      await fc.assert(
        fc.asyncProperty(trees, fc.func(fc.boolean()), async ({ before, after }, isSpoilt) => {
          const patch = await make(base, before, after)
          // Nothing fits these files any more.
          const moved = movedBlindly(patch)
          const spoilt = Object.keys(before).filter(
            (name) => before[name] !== after[name] && isSpoilt(name) && !moved.has(name),
          )
          const other = Object.fromEntries(spoilt.map((name) => [name, 'something else\nwith other lines\n']))
          const stage = await open({ ...before, ...other })
          const dry = await stage.run(applyPatchPartly, { patch, compact: true, explain: true, dryRun: true })
          expect(await filesOf(stage)).toEqual({ ...before, ...other })
          const { applied, rejected, rest } = await stage.run(applyPatchPartly, { patch, compact: true, explain: true })
          expect(dry).toMatchObject({ rest, applied: applied.map(({ path }) => ({ path })) })
          const made = await filesOf(stage)
          const touched = applied.flatMap(({ path, toPath = path }) =>
            [path, toPath].map((each) => each.replace('/w/', '')),
          )
          for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
            const isApplied = touched.includes(name)
            expect({ name, content: made[name] }).toEqual({
              name,
              content: isApplied ? after[name] : (other[name] ?? before[name]),
            })
          }
          // What is left is exactly the rest: it turns the tree that was meant into the new one.
          const repaired = await open({
            ...(made as Texts),
            ...Object.fromEntries(spoilt.map((name) => [name, before[name] as string])),
          })
          expect(rest === '').toBe(rejected.length === 0)
          if (rest !== '') await repaired.run(applyPatch, { patch: rest, compact: true })
          expect(await filesOf(repaired)).toEqual(after)
        }),
        { numRuns: scaled(60) },
      )
    },
  )

  test('what git and history print turns the old tree into the new one', async () => {
    await fc.assert(
      fc.asyncProperty(trees, async ({ before, after }) => {
        const stage = await open(before)
        const { callText } = tools(stage.workspace)
        await callText('git', { action: 'init' })
        await callText('git', { action: 'add' })
        await callText('history', { action: 'checkpoint', point: 'old' })
        const gone = Object.keys(before).filter((name) => after[name] === undefined)
        for (const name of gone) await callText('delete', { path: name })
        const files = Object.entries(after).map(([name, content]) => ({ path: name, content }))
        if (files.length > 0) await callText('write_file', { files, parents: true })
        const history = await callText('history', { action: 'diff', point: 'old', max_tokens: 100_000 })
        await callText('git', { action: 'commit', message: 'old', author: 'A <a@b.c>' })
        await callText('git', { action: 'add' })
        const git = await callText('git', { action: 'diff', staged: true, max_tokens: 100_000 })
        for (const patch of [history, git]) {
          const fresh = await open(before)
          const answer = await tools(fresh.workspace).callText('apply_patch', { patch })
          expect({ patch, answer, tree: await filesOf(fresh) }).toEqual({ patch, answer, tree: after })
        }
      }),
      { numRuns: scaled(24) },
    )
  })
})
