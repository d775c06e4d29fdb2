/** What polyfs stores as JSON: checked when it is read, because a store may have been filled by somebody else. */
import type { Bytes } from '../../types.js'
import type { Ref } from './blobs.js'
import { StoreFailure } from './store.js'

/** True for what could be the name of a value. */
export function isRef(value: unknown): value is Ref {
  return typeof value === 'string' && /^\d+:[0-9a-f]{64}$/.test(value)
}

/** True for what could be the name of a value, or of content that is in chunks. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && /^\d+(:[0-9a-f]{64}){1,2}$/.test(value)
}

/** A value has the hash that it should have, and is not what polyfs writes: then somebody else has made it. */
export function odd(what: string): StoreFailure {
  return new StoreFailure('other', `the store has ${what} that polyfs did not write: restore a backup of it`)
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

export function parsed(bytes: Bytes | undefined): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw odd('a value')
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
