/** Conversations in the browser's storage: IndexedDB and locks as the browser has them. */
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Conversation, Turn } from '../../../agent/conversation.js'
import {
  fitting,
  type KeepOptions,
  type KeptConversation,
  keptConversation,
  maxStored,
} from '../../../playground/agent/conversation-store.js'

const faults: unknown[] = []
let opened: KeptConversation[] = []

beforeEach(forgetAll)
afterEach(async () => {
  for (const each of opened) await each.close()
  opened = []
  expect(faults.splice(0)).toEqual([])
})

/** A tab that was opened anew, unless it `remembers` what it had. */
async function openTab(
  place = 'opfs:a /',
  { remembers = false, ...options }: Partial<KeepOptions> & { remembers?: boolean } = {},
) {
  if (!remembers) sessionStorage.clear()
  const kept = await keptConversation(place, { onFault: (error) => faults.push(error), ...options })
  if (kept === undefined) throw new Error('The browser stores nothing')
  opened.push(kept)
  return kept
}

async function forgetAll(): Promise<void> {
  sessionStorage.clear()
  const deleting = indexedDB.deleteDatabase('polyfs-agent')
  // A connection that was closed may still end a transaction.
  await new Promise<void>((resolve, reject) => {
    deleting.onsuccess = () => resolve()
    deleting.onerror = () => reject(deleting.error)
  })
}

function turn(prompt: string, id = 'turn-1'): Turn {
  return { id, prompt, startedMs: 0, messages: [{ role: 'user', text: prompt }], calls: [] }
}

const about = (...prompts: string[]): Conversation => ({
  turns: prompts.map((prompt, index) => turn(prompt, `turn-${index + 1}`)),
})

const promptsOf = (kept: KeptConversation) => kept.stored?.turns.map(({ prompt }) => prompt)

test('the last of what is saved comes back, also to a tab that remembers nothing', async () => {
  const place = crypto.randomUUID()
  const first = await openTab(place)
  expect(first.stored).toBe(undefined)
  first.save(about('one'))
  first.save(about('one', 'two'))
  first.save({ ...about('one', 'two', 'three'), undone: ['c1'] })
  await first.close()
  const reloaded = await openTab(place, { remembers: true })
  expect(promptsOf(reloaded)).toEqual(['one', 'two', 'three'])
  expect(reloaded.stored).toMatchObject({ undone: ['c1'], left: 0 })
  await reloaded.close()
  expect(promptsOf(await openTab(place))).toEqual(['one', 'two', 'three'])
  expect(promptsOf(await openTab(crypto.randomUUID()))).toBe(undefined)
})

test('tabs on the same workspace have a conversation each, and none overwrites another', async () => {
  const place = crypto.randomUUID()
  const first = await openTab(place)
  first.save(about('first'))
  await first.saved()
  const second = await openTab(place)
  expect(second).toMatchObject({ isElsewhere: true })
  expect(second.stored).toBe(undefined)
  second.save(about('second'))
  first.save(about('first', 'more'))
  await Promise.all([first.close(), second.close()])
  const [one, other] = [await openTab(place), await openTab(place)]
  expect([promptsOf(one), promptsOf(other)].sort()).toEqual([['first', 'more'], ['second']])
})

test('a duplicate of a tab, which remembers the same conversation, begins its own', async () => {
  const place = crypto.randomUUID()
  const first = await openTab(place)
  first.save(about('first'))
  await first.saved()
  const duplicate = await openTab(place, { remembers: true })
  expect(duplicate).toMatchObject({ isElsewhere: true })
  expect(duplicate.stored).toBe(undefined)
})

test('a dropped one is gone, whatever is saved afterwards, and a new one does not take an old one', async () => {
  const place = crypto.randomUUID()
  const old = await openTab(place)
  old.save(about('old'))
  await old.close()
  const dropped = await openTab(place, { isNew: true })
  expect(dropped.stored).toBe(undefined)
  dropped.save(about('dropped'))
  await dropped.drop()
  dropped.save(about('dropped'))
  await dropped.saved()
  expect(promptsOf(await openTab(place, { remembers: true }))).toBe(undefined)
  expect(promptsOf(await openTab(place))).toEqual(['old'])
})

test('only so many stay, the oldest go first, and one that is open stays', async () => {
  const place = crypto.randomUUID()
  const open = await openTab(place)
  open.save(about('open'))
  await open.saved()
  for (let count = 0; count < maxStored + 2; count += 1) {
    const kept = await openTab(place, { isNew: true })
    kept.save(about(`${count}`))
    await kept.close()
  }
  const prompts: (string | undefined)[] = []
  for (let count = 0; count < maxStored + 3; count += 1) prompts.push(promptsOf(await openTab(place))?.[0])
  expect(prompts.filter((each) => each !== undefined)).toEqual(
    Array.from({ length: maxStored - 1 }, (_, index) => `${maxStored + 1 - index}`),
  )
  await open.close()
  expect(promptsOf(await openTab(place))).toEqual(['open'])
})

test('what can’t be stored is said once, and nothing out of date stays', async () => {
  const place = crypto.randomUUID()
  const kept = await openTab(place)
  kept.save(about('stored'))
  await kept.saved()
  const parts = [{ type: 'reasoning' as const, text: '', raw: () => 0 }]
  const odd: Turn = { ...turn('odd'), messages: [{ role: 'assistant', parts }] }
  kept.save({ turns: [odd] })
  await kept.saved()
  kept.save(about('more'))
  await kept.close()
  expect(faults.splice(0)).toHaveLength(1)
  expect(promptsOf(await openTab(place))).toBe(undefined)
})

test('a browser without a database keeps nothing, and says so by giving none', async () => {
  const { open } = indexedDB
  onTestFinished(() => {
    indexedDB.open = open
  })
  indexedDB.open = () => {
    throw new DOMException('no storage', 'SecurityError')
  }
  expect(await keptConversation('opfs:a /', { onFault: (error) => faults.push(error) })).toBe(undefined)
})

test('the oldest turns are left out of one that is too large, and never the newest', () => {
  const turns = ['a', 'b', 'c'].map((letter, index) => turn(letter.repeat(1000), `turn-${index + 1}`))
  const kept = (most: number) => {
    const { turns: some, left } = fitting({ turns }, most)
    return [some.map(({ id }) => id), left]
  }
  expect(kept(100_000)).toEqual([['turn-1', 'turn-2', 'turn-3'], 0])
  expect(kept(5000)).toEqual([['turn-2', 'turn-3'], 1])
  expect(kept(10)).toEqual([['turn-3'], 2])
  expect(fitting({ turns, left: 4 }, 5000).left).toBe(5)
})
