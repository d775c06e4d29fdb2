/**
 * Conversations in the browser's storage, so that a reload loses none. A tab writes only to the conversation that it has to itself: another tab on
 * the same workspace takes one that is free, or begins its own.
 */
import type { Conversation, Turn } from '../../agent/conversation.js'

export interface KeptConversation {
  /** What was stored; undefined for a new one. */
  readonly stored?: StoredConversation
  /** Another tab has one about the same workspace. */
  readonly isElsewhere: boolean
  /** Stores the conversation soon. */
  save(conversation: Conversation): void
  /** Resolves when all that was given to `save` is stored, or can't be. */
  saved(): Promise<void>
  /** Deletes it for good. */
  drop(): Promise<void>
  /** Leaves it, stored, to other tabs. */
  close(): Promise<void>
}

export interface StoredConversation extends Conversation {
  /** How many of its first turns were too much to store. */
  readonly left: number
}

/** As it lies in the database. */
interface Entry {
  id: string
  place: string
  savedMs: number
  conversation: StoredConversation
}

export interface KeepOptions {
  /** The conversation can't be stored any more. */
  onFault(error: unknown): void
  /** Begins a new one, whatever is stored. */
  isNew?: boolean
}

/** How much of a conversation is stored, in characters of its JSON. The newest turn always is. */
export const maxStoredUnits = 8_000_000
/** How many conversations are stored. */
export const maxStored = 20

const database = 'polyfs-agent'
const table = 'conversations'
/** The page that was reloaded needs a moment to let go of its conversation. */
const patienceMs = 3000

/** The conversation of this tab about a workspace. Undefined where the browser stores nothing for this page. */
export async function keptConversation(
  place: string,
  { onFault, isNew = false }: KeepOptions,
): Promise<KeptConversation | undefined> {
  if (navigator.locks === undefined) return undefined
  const db = await openDatabase().catch(() => undefined)
  if (db === undefined) return undefined
  const key = `polyfs-conversation ${place}`
  const { id, release, isElsewhere } = await take(db, place, isNew ? undefined : (sessionStorage.getItem(key) ?? ''))
  sessionStorage.setItem(key, id)
  const entry = await request<Entry | undefined>(db.transaction(table).objectStore(table).get(id)).catch(
    () => undefined,
  )
  let next: Conversation | undefined
  let saving: Promise<void> | undefined
  let isOver = false

  /** One write after another; of what changes meanwhile only the last is written. */
  async function saveAll(): Promise<void> {
    try {
      while (next !== undefined && !isOver) {
        const conversation = fitting({ ...next, left: entry?.conversation.left ?? 0 })
        next = undefined
        await store(db as IDBDatabase, { id, place, savedMs: Date.now(), conversation })
      }
    } catch (error) {
      isOver = true
      // What is stored would be out of date: a call that it has as open may have been made.
      await remove(db as IDBDatabase, id).catch(() => {})
      onFault(error)
    } finally {
      saving = undefined
    }
  }

  return {
    ...(entry && { stored: entry.conversation }),
    isElsewhere,
    save(conversation) {
      if (isOver) return
      next = conversation
      saving ??= saveAll()
    },
    saved: async () => saving,
    async drop() {
      isOver = true
      await saving
      await remove(db, id)
      db.close()
      release()
    },
    async close() {
      await saving
      isOver = true
      db.close()
      release()
    },
  }
}

/**
 * Finds a conversation that no other tab has: the one that this tab had before, else the newest, else a new one. `remembered` is undefined when it
 * is to be a new one.
 */
async function take(db: IDBDatabase, place: string, remembered: string | undefined) {
  const ids = remembered === undefined ? [] : await idsOf(db, place)
  let isElsewhere = false
  if (remembered) {
    const release = await hold(remembered, { signal: AbortSignal.timeout(patienceMs) })
    if (release) return { id: remembered, release, isElsewhere }
    isElsewhere = true
  }
  for (const id of ids) {
    if (id === remembered) continue
    const release = await hold(id, { ifAvailable: true })
    if (release) return { id, release, isElsewhere }
    isElsewhere = true
  }
  const id = crypto.randomUUID()
  const release = (await hold(id, { ifAvailable: true })) ?? (() => {})
  return { id, release, isElsewhere }
}

const lockPrefix = 'polyfs-conversation '

/** Holds a conversation until the page ends or the returned function is called. Undefined when another tab has it. */
function hold(id: string, options: LockOptions): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    navigator.locks
      .request(lockPrefix + id, options, (lock) => {
        if (lock === null) return resolve(undefined)
        return new Promise<void>((release) => resolve(release))
      })
      .catch(() => resolve(undefined))
  })
}

/** The conversation without its oldest turns, as far as it is too large. */
export function fitting(
  { turns, ...others }: Conversation & { left?: number },
  most = maxStoredUnits,
): StoredConversation {
  let units = 0
  let first = turns.length
  while (first > 0) {
    units += unitsOf(turns[first - 1] as Turn)
    if (units > most && first < turns.length) break
    first -= 1
  }
  return { ...others, turns: turns.slice(first), left: (others.left ?? 0) + first }
}

/** A turn that has ended does not change, so that it is measured once. */
const measured = new WeakMap<Turn, number>()

function unitsOf(turn: Turn): number {
  const units = measured.get(turn) ?? JSON.stringify(turn).length
  measured.set(turn, units)
  return units
}

async function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(database, 1)
  opening.onupgradeneeded = () => {
    const conversations = opening.result.createObjectStore(table, { keyPath: 'id' })
    conversations.createIndex('place', ['place', 'savedMs'])
    conversations.createIndex('age', 'savedMs')
  }
  return request(opening)
}

/** The conversations about a workspace, newest first. */
async function idsOf(db: IDBDatabase, place: string): Promise<string[]> {
  const index = db.transaction(table).objectStore(table).index('place')
  const keys = await request(index.getAllKeys(IDBKeyRange.bound([place], [place, Number.POSITIVE_INFINITY])))
  return keys.map(String).reverse()
}

async function store(db: IDBDatabase, entry: Entry): Promise<void> {
  // On the disk before a call is made that it says was begun.
  const transaction = db.transaction(table, 'readwrite', { durability: 'strict' })
  transaction.objectStore(table).put(entry)
  await ended(transaction)
  await removeOldest(db)
}

/** Those that a tab has open stay. */
async function removeOldest(db: IDBDatabase): Promise<void> {
  const ids = await request(db.transaction(table).objectStore(table).index('age').getAllKeys())
  if (ids.length <= maxStored) return
  const { held = [] } = await navigator.locks.query()
  const isOpen = (id: IDBValidKey) => held.some(({ name }) => name === `${lockPrefix}${String(id)}`)
  for (const id of ids.filter((each) => !isOpen(each)).slice(0, ids.length - maxStored)) await remove(db, String(id))
}

async function remove(db: IDBDatabase, id: string): Promise<void> {
  const transaction = db.transaction(table, 'readwrite')
  transaction.objectStore(table).delete(id)
  await ended(transaction)
}

function request<Result>(asked: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result)
    asked.onerror = () => reject(asked.error)
  })
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
    transaction.onerror = () => reject(transaction.error)
  })
}
