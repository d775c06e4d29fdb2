import type { SqliteWorkspaceInfo } from '../src/fs/backends/sqlite/workspaces.js'
import type { Bytes } from '../src/fs/types.js'
import type { ObjectBase, ObjectContext, ObjectState } from './object-types.js'
import { type DurableWorkspaceOptions, type WorkspaceObject, workspaceObject } from './workspace-object.js'

/** A Durable Object that holds one workspace. `fetch` is MCP; the other methods are for the Worker, and no client reaches them. */
export interface DurableWorkspace {
  fetch(request: Request): Promise<Response>
  /** Clears the workspace when it is time; called by the runtime. */
  alarm(): Promise<void>
  /** Makes a fork in the same database, at once whatever its size. Clients reach it as `/mcp/NAME/FORK`. */
  fork(name: string, from?: string): Promise<void>
  /** The forks there are. */
  forks(): Promise<SqliteWorkspaceInfo[]>
  /** Removes a fork and what only it used. */
  drop(name: string): Promise<void>
  /** All files as a zip archive, links left out. The object holds it in memory. */
  exportZip(fork?: string): Promise<ReadableStream<Uint8Array>>
  /** Extracts a zip archive as one change. The object holds it in memory. */
  importZip(archive: Bytes | ReadableStream<Uint8Array>): Promise<void>
  /** Deletes everything. The object is as new. */
  clear(): Promise<void>
}

export type DurableWorkspaceClass<Base extends ObjectBase> = new (
  ...given: ConstructorParameters<Base>
) => DurableWorkspace & InstanceType<Base>

/**
 * The class of a Durable Object that holds one workspace in its SQLite storage: `class Files extends durableWorkspace(DurableObject) {}`, with
 * `DurableObject` of `cloudflare:workers`. Options may depend on the name of the workspace and on the environment.
 */
export function durableWorkspace<Base extends ObjectBase, Env = unknown>(
  base: Base,
  options: DurableWorkspaceOptions | ((context: ObjectContext<Env>) => DurableWorkspaceOptions) = {},
): DurableWorkspaceClass<Base> {
  // The base is an ordinary class, whose constructor takes these two.
  const Plain = base as unknown as new (state: ObjectState, env: Env) => object

  class WorkspaceInObject extends Plain implements DurableWorkspace {
    readonly #object: WorkspaceObject

    constructor(state: ObjectState, env: Env) {
      super(state, env)
      const chosen = typeof options === 'function' ? options({ name: state.id.name, env }) : options
      this.#object = workspaceObject(state, chosen)
    }

    fetch(request: Request): Promise<Response> {
      return this.#object.fetch(request)
    }

    alarm(): Promise<void> {
      return this.#object.alarm()
    }

    fork(name: string, from?: string): Promise<void> {
      return this.#object.fork(name, from)
    }

    forks(): Promise<SqliteWorkspaceInfo[]> {
      return this.#object.forks()
    }

    drop(name: string): Promise<void> {
      return this.#object.drop(name)
    }

    async exportZip(fork?: string): Promise<ReadableStream<Uint8Array>> {
      // A stream, because a message between objects is limited to 32 MiB.
      return streamOf(await this.#object.exportZip(fork))
    }

    async importZip(archive: Bytes | ReadableStream<Uint8Array>): Promise<void> {
      await this.#object.importZip(archive instanceof ReadableStream ? await bytesOf(archive) : archive)
    }

    clear(): Promise<void> {
      return this.#object.clear()
    }
  }

  return WorkspaceInObject as unknown as DurableWorkspaceClass<Base>
}

function streamOf(bytes: Bytes): ReadableStream<Uint8Array> {
  return new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Bytes> {
  return new Uint8Array(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer())
}
