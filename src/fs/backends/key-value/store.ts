/** The part of a key-value store that a workspace needs: what every driver of unstorage has. */
import { FsError } from '../../../errors.js'
import type { Bytes } from '../../types.js'

/**
 * A key-value store, such as the `Storage` of unstorage. Keys are parts joined by `:`. A value is replaced as a whole; a reader may see an
 * older one for a while.
 */
export interface KeyValueStore {
  /** The bytes of a value; null or undefined if there is none. */
  getItemRaw(key: string): Promise<unknown>
  setItemRaw(key: string, value: Uint8Array): Promise<void>
  removeItem(key: string): Promise<void>
  /** The keys that begin with `base`. Only used to remove what is no longer needed; may leave keys out. */
  getKeys(base?: string): Promise<string[]>
  /** True where nobody ever reads part of a value, even after a crash while it was written. */
  readonly wholeWrites?: boolean
  /** Absent where the store has no conditional writes. Then one process at a time may write. */
  readonly conditional?: ConditionalWrites
}

export interface ConditionalWrites {
  /**
   * Sets a value, or removes it, provided that the present one is `expected`; undefined stands for no value. Returns false, and changes
   * nothing, if it is another.
   */
  replace(key: string, expected: Uint8Array | undefined, value: Uint8Array | undefined): Promise<boolean>
}

/** A failure of the store itself, before it is known which path was asked for. */
export class StoreFailure extends Error {
  constructor(
    readonly kind: 'full' | 'read-only' | 'other',
    readonly detail: string,
    cause?: unknown,
  ) {
    super(detail, { cause })
  }

  at(path: string): FsError {
    const options = { cause: this.cause }
    if (this.kind === 'full') return new FsError('NO_SPACE', { path }, options)
    if (this.kind === 'read-only') return new FsError('READ_ONLY', { path }, options)
    return new FsError('IO', { path, detail: this.detail }, options)
  }
}

/** The store with its failures translated and its waits bounded. */
export interface GuardedStore {
  get(key: string): Promise<Bytes | undefined>
  set(key: string, value: Bytes): Promise<void>
  remove(key: string): Promise<void>
  keys(base: string): Promise<string[]>
  readonly wholeWrites: boolean
  readonly replace?: ConditionalWrites['replace']
}

export function guarded(store: KeyValueStore, timeoutMs: number): GuardedStore {
  const { conditional, wholeWrites = false } = store
  const guard = <Result>(call: () => Promise<Result>) => withinTime(call, timeoutMs)
  return {
    get: async (key) => bytesOf(await guard(() => store.getItemRaw(key)), key),
    set: (key, value) => guard(() => store.setItemRaw(key, value)),
    remove: (key) => guard(() => store.removeItem(key)),
    keys: async (base) => keysOf(await guard(() => store.getKeys(base))),
    wholeWrites: wholeWrites || conditional !== undefined,
    ...(conditional && {
      replace: async (key, expected, value) =>
        truthOf(await guard(() => conditional.replace(key, expected, value)), key),
    }),
  }
}

async function withinTime<Result>(call: () => Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: unknown
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`the store did not answer within ${Math.ceil(timeoutMs / 1000)} seconds`)),
      timeoutMs,
    )
  })
  try {
    // In an async function, so that a driver that throws at once fails like one that rejects.
    return await Promise.race([(async () => call())(), late])
  } catch (error) {
    throw failureOf(error)
  } finally {
    clearTimeout(timer)
  }
}

/** The one translation of errors that drivers throw. They agree on nothing but texts, and may throw anything. */
function failureOf(error: unknown): StoreFailure {
  const { text, code } = described(error)
  if (code === 'ENOSPC' || code === 'EDQUOT' || /^OOM command/.test(text)) return new StoreFailure('full', text, error)
  if (code === 'EROFS' || code === 'EACCES' || /^READONLY /.test(text)) {
    return new StoreFailure('read-only', text, error)
  }
  if (text.startsWith('the store ')) return new StoreFailure('other', text, error)
  const reason = text || code
  return new StoreFailure('other', `the store failed${reason === '' ? ' and gave no reason' : `: ${reason}`}`, error)
}

function described(error: unknown): { text: string; code: string } {
  try {
    if (typeof error !== 'object' || error === null)
      return { text: error == null ? '' : shortened(String(error)), code: '' }
    const { message, code } = error as { message?: unknown; code?: unknown }
    const text = typeof message === 'string' ? message : error instanceof Error ? '' : JSON.stringify(error)
    return { text: shortened(text), code: typeof code === 'string' ? code : '' }
  } catch {
    return { text: '', code: '' }
  }
}

/** Drivers put whole answers into their errors. */
const maxText = 500

function shortened(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`
}

function keysOf(value: unknown): string[] {
  const isList = Array.isArray(value) && value.every((key) => typeof key === 'string')
  if (!isList) throw new StoreFailure('other', 'the store returned something else than a list of keys')
  return value
}

function truthOf(value: unknown, key: string): boolean {
  if (typeof value === 'boolean') return value
  throw new StoreFailure('other', `the store returned something else than true or false for ${key}`)
}

function bytesOf(value: unknown, key: string): Bytes | undefined {
  if (value === null || value === undefined) return undefined
  if (value instanceof Uint8Array) return value
  // The driver for directories returns errors in place of throwing them.
  if (value instanceof Error) throw failureOf(value)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  // Some drivers return text for bytes that are text.
  if (typeof value === 'string') return new TextEncoder().encode(value)
  throw new StoreFailure('other', `the store returned something else than bytes for ${key}`)
}

/** The beginning of all keys of a workspace. Names become parts of file names and addresses, so unusual characters are escaped. */
export function keyPrefix(workspace: string): string {
  const bytes = new TextEncoder().encode(workspace)
  const isValid = workspace.isWellFormed() && /^[^\p{Cc}/]{1,64}$/u.test(workspace)
  if (!isValid) {
    throw new FsError('INVALID_PATH', { path: workspace, reason: workspace === '' ? 'empty' : 'reserved-character' })
  }
  const escaped = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte)
    // Some stores fold case.
    return /[a-z0-9_-]/.test(character) ? character : `=${byte.toString(16).padStart(2, '0')}`
  })
  return `polyfs:${escaped.join('')}:`
}
