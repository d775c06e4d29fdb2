/** No command of the emulated shell shows anything of a denied file, though without the rules it would. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { createWorkspace } from '../../../src/workspace/create-workspace.js'
import { run } from '../../emulated-shell.js'
import { isFull, sample } from '../../scale.js'
import { built } from '../cli/built.js'
import { shellAttacks } from './attacks.js'
import { makePlace, openPlace, type Place, secretsIn } from './place.js'

const shell = emulatedShell({ worker: built('node/emulated-worker.js'), workers: 2 })
const keptWarm = createWorkspace({ fs: memory(), shell })
let place: Place
beforeAll(async () => {
  place = await makePlace(shell)
})
afterAll(() => keptWarm.shell?.close())

async function answer(script: string, isRuled: boolean): Promise<string> {
  const workspace = openPlace(place, { shell, isRuled })
  const { stdout, stderr } = await run(workspace, script, { timeoutMs: 20_000 })
  return `${stdout}\n${stderr}`
}

const attacks = shellAttacks()

test('the attacks are many', () => {
  expect(attacks.length).toBeGreaterThan(500)
})

test('nothing of a denied file is shown', async () => {
  const leaks: string[] = []
  let real = 0
  const tried = sample(attacks, { every: 60 })
  const batch = 4
  for (let at = 0; at < tried.length; at += batch) {
    await Promise.all(
      tried.slice(at, at + batch).map(async ({ name, script = '' }) => {
        const shown = secretsIn(await answer(script, true))
        if (shown.length > 0) leaks.push(`${name}: ${shown}`)
        if (secretsIn(await answer(script, false)).length > 0) real += 1
        console.log('harmless:', name, JSON.stringify((await answer(script, false)).slice(0, 150)))
      }),
    )
  }
  expect(leaks).toEqual([])
  // Some are refused for other reasons, or ask for what the emulated programs don't have.
  expect(real).toBeGreaterThan(tried.length * 0.6)
  if (isFull) expect(real).toBeGreaterThan(500)
}, 600_000)
