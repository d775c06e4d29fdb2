import fs from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { deferredClose } from '../../../node/disk/deferred-close.js'
import { makeTemporary } from '../crash/disk-engine.js'

const directory = fs.realpathSync(makeTemporary('polyfs-deferred-close-'))
afterAll(() => fs.rmSync(directory, { recursive: true }))

/** Removed files that this process still has open. */
function removedButOpen(): string[] {
  return fs.readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = fs.readlinkSync(`/proc/self/fd/${descriptor}`)
      return target.startsWith(directory) && target.endsWith(' (deleted)') ? [path.basename(target.slice(0, -10))] : []
    } catch {
      return []
    }
  })
}

function removed({ withoutFreeing }: ReturnType<typeof deferredClose>, name: string): void {
  const entry = path.join(directory, name)
  fs.writeFileSync(entry, 'x')
  withoutFreeing(entry, () => fs.unlinkSync(entry))
}

test.runIf(process.platform === 'linux')('files that were removed are closed soon', async () => {
  const disposal = deferredClose({ waits: false })
  for (const name of ['a', 'b', 'c', 'd', 'e']) removed(disposal, name)
  expect(removedButOpen().sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
  await vi.waitUntil(() => removedButOpen().length === 0, { timeout: 60_000 })
})

test.runIf(process.platform === 'linux')('whoever needs the room waits until all are closed', async () => {
  const disposal = deferredClose({ waits: false })
  expect(disposal.waiting()).toBe(undefined)
  for (const name of ['a', 'b', 'c']) removed(disposal, name)
  await disposal.waiting()
  expect(removedButOpen()).toEqual([])
  expect(disposal.waiting()).toBe(undefined)
})

test('nothing is held where nothing would be gained', () => {
  removed(deferredClose({ waits: true }), 'a')
  if (process.platform === 'linux') expect(removedButOpen()).toEqual([])
})
