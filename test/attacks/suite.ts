import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FsError } from '../../src/errors.js'
import type { ConfinedFileSystem } from '../../src/fs/gate/confine.js'
import { copyEntry } from '../../src/ops/copy-entry.js'
import { deleteEntry } from '../../src/ops/delete-entry.js'
import { moveEntry } from '../../src/ops/move-entry.js'
import type { Workspace } from '../../src/workspace/workspace.js'
import { type Attack, aim, attacks, type Places, shown } from './corpus.js'
import { canary } from './layout.js'
import { changing, type Operation, operations } from './operations.js'

/** A backend with the layout in it, ready to be attacked. */
export interface Stage {
  readonly places: Places
  readonly fs: ConfinedFileSystem
  /** The same gate, with the engine of changes behind it. */
  readonly workspace: Workspace
  /** All there is beside the root: names, kinds, content, modes and times. */
  outsideState(): Promise<string>
  /** All there is in the root: names, kinds and content. */
  insideState(): Promise<string>
  /** Puts the inside back as it was laid out. */
  restore(): Promise<void>
  close(): Promise<void>
}

/** What a backend can't show, by case id, with the reason. */
export type Unfit = Readonly<Record<string, string>>

/** Every case of the corpus through every operation it names, with the world outside compared after each change. */
export function describeAttacks(
  backend: string,
  makeStage: () => Promise<Stage>,
  { unfit = {}, cases = attacks }: { unfit?: Unfit; cases?: readonly Attack[] } = {},
): void {
  describe(`attacks on ${backend}`, () => {
    const counts = { tried: 0, refused: 0, changes: 0, disclosures: 0, outsideChanges: 0 }
    let stage: Stage
    let laidOut: string
    let outside: string

    beforeAll(async () => {
      stage = await makeStage()
      laidOut = await stage.insideState()
      outside = await stage.outsideState()
    })

    afterAll(async () => {
      await stage.close()
      const { tried, refused, changes, disclosures, outsideChanges } = counts
      console.log(
        `attacks on ${backend}: ${tried} tried, ${changes} of them changes; ${refused} refused, ${disclosures} disclosures, ${outsideChanges} changes outside`,
      )
    })

    for (const attack of cases) {
      test(testName(attack), async (context) => {
        const reason = unfit[attack.id]
        if (reason !== undefined) context.skip(reason)
        for (const letter of lettersOf(attack)) await attempt(attack, letter)
      })
    }

    // `sub` holds links that lead outside, relative and absolute ones.
    for (const [what, act] of Object.entries(treeChanges)) {
      test(`a tree with links to the outside ${what}: the links go along, nothing of the outside is touched, undo restores all`, async () => {
        const { history } = stage.workspace
        const seen = await act(stage.workspace, stage.places)
        expect(JSON.stringify(seen)).not.toContain(canary)
        expect(await stage.outsideState()).toBe(outside)
        const changed = await stage.insideState()
        expect(changed).not.toBe(laidOut)
        const undone = await history.undo()
        expect(await stage.insideState()).toBe(laidOut)
        await history.undo(undone.id)
        expect(await stage.insideState()).toBe(changed)
        expect(await stage.outsideState()).toBe(outside)
        await history.undo()
        expect(await stage.insideState()).toBe(laidOut)
      })
    }

    test('no operation and no failure reveals the targets of such links', async () => {
      for (const path of ['l-file', 'l-dir', 'sub/l-dir2', 'l-dangling']) {
        const outcome = await run(operations.target as Operation, path)
        expect(outcome).toMatchObject({ error: { code: 'OUTSIDE' } })
      }
    })

    async function attempt(attack: Attack, letter: string): Promise<void> {
      const operation = operations[letter]
      if (operation === undefined) throw new Error(`no operation ${letter}`)
      const what = `${attack.id} ${shown(attack.path)}: ${operation.name}`
      const input = aim(attack.path, stage.places)
      const outcome = await run(operation, input)

      counts.tried += 1
      if ('error' in outcome) counts.refused += 1
      const seen = disclosed(outcome, input, stage.places)
      if (seen.length > 0) counts.disclosures += 1
      expect(seen, what).toEqual([])
      if (operation.changes) {
        counts.changes += 1
        const now = await stage.outsideState()
        if (now !== outside) counts.outsideChanges += 1
        expect(now, `${what} left the outside as it was`).toBe(outside)
      }
      if (isRefusalDue(attack, operation, letter)) expect(outcome, what).toHaveProperty('error')
      if (attack.expect === 'ALLOW') expect(outcome, what).toHaveProperty('value')
      if (!operation.changes) return

      const inside = await stage.insideState()
      if (inside === laidOut) return
      if ('error' in outcome && attack.expect === 'DENY')
        expect(inside, `${what} left the inside as it was`).toBe(laidOut)
      await stage.restore()
      expect(await stage.insideState()).toBe(laidOut)
    }

    async function run(operation: Operation, input: string): Promise<Outcome> {
      try {
        return { value: await operation.run(stage.fs, stage.places.root, input) }
      } catch (error) {
        return { error }
      }
    }
  })
}

type TreeChange = (workspace: Workspace, places: Places) => Promise<unknown>

const treeChanges: Readonly<Record<string, TreeChange>> = {
  'is deleted': (workspace) => deleteEntry.run({ path: 'sub', recursive: true }, workspace, {}),
  'is copied': (workspace) => copyEntry.run({ from: 'sub', to: 'copied', makeParents: false }, workspace, {}),
  'is moved': (workspace) => moveEntry.run({ from: 'sub', to: 'moved', ...plain }, workspace, {}),
  'is moved link by link': async (workspace) => {
    const links = ['l-file', 'l-dir', 'l-rel', 'l-dangling', 'l-procroot'].map((name) => `/${name}`)
    const { root, fs } = workspace
    const scopes = [{ path: root, tree: true }]
    await workspace.changes.run({ label: 'move', scopes }, async (draft) => {
      await draft.makeDirectory(`${root}/links`)
      for (const name of links) {
        const { image } = await draft.entry(root + name)
        if (image.kind === 'symlink') await draft.link(`${root}/links${name}`, image)
        await draft.remove(root + name)
      }
    })
    return fs.readDir(`${root}/links`)
  },
}

const plain = { replace: false, makeParents: false }

type Outcome = { value: unknown } | { error: unknown }

/** Acting on a link itself never leaves the root, wherever it leads: it may be described, moved, replaced and removed. */
const actsOnTheLink = new Set(['entry', 'target', 'mf', 'mt', 'd'])

function isRefusalDue(attack: Attack, operation: Operation, letter: string): boolean {
  if (attack.expect === 'PROT') return operation.changes
  if (attack.expect !== 'DENY') return false
  return !(attack.cls === 'C-symlink' && actsOnTheLink.has(letter) && !attack.path.includes('/'))
}

function lettersOf(attack: Attack): readonly string[] {
  if (attack.expect === 'PROT') return ['r', 's', ...changing]
  return attack.ops ?? Object.keys(operations)
}

const verdicts: Record<Attack['expect'], string> = {
  DENY: 'refused for',
  INSIDE: 'never outside for',
  ALLOW: 'done for',
  PROT: 'readable, refused for',
}

function testName(attack: Attack): string {
  const letters = attack.expect === 'PROT' ? changing : attack.ops
  const names = letters === undefined ? 'everything' : letters.map((letter) => operations[letter]?.name).join(', ')
  return `${attack.id} ${shown(attack.path)}: ${verdicts[attack.expect]} ${names}`
}

/** What the agent saw and should not have: canaries, foreign errors, and outside paths other than the one it gave. */
function disclosed(outcome: Outcome, input: string, { base, root }: Places): string[] {
  if ('value' in outcome) {
    const value = JSON.stringify(outcome.value) ?? ''
    return value.includes(canary) ? [value] : []
  }
  const { error } = outcome
  if (!(error instanceof FsError)) return [`not an FsError: ${String(error)}`]
  const { path, ...others } = { path: '', ...error.facts }
  const facts = JSON.stringify(others)
  const faults: string[] = []
  if (JSON.stringify(error.facts).includes(canary)) faults.push(`a canary in ${JSON.stringify(error.facts)}`)
  if (facts.replaceAll(root, '').includes(base)) faults.push(`an outside path in ${facts}`)
  const own = path === '' || path === input || path === root || path.startsWith(`${root}/`)
  if (!own) faults.push(`a path that was not given: ${path}`)
  return faults
}
