/** What is used of Cloudflare's own objects, by shape, so that the package needs no types of theirs. */
import type { DurableObjectStorage } from '../src/fs/backends/sqlite/adapters.js'

/** The class `DurableObject` of `cloudflare:workers`. */
export type ObjectBase = abstract new (state: never, env: never) => object

/** `ctx` of a Durable Object. */
export interface ObjectState {
  readonly id: { readonly name?: string | undefined }
  readonly storage: ObjectStorage
}

/** `ctx.storage`. */
export interface ObjectStorage extends DurableObjectStorage {
  getAlarm(): Promise<number | null>
  setAlarm(atMs: number): Promise<void>
  deleteAlarm(): Promise<void>
  deleteAll(): Promise<void>
}

/** Which object options are asked for. */
export interface ObjectContext<Env> {
  /** The name of the workspace, where the object was found by its name. */
  name: string | undefined
  env: Env
}
