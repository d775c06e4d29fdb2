import type { RemoteEngine } from '../engine/remote-engine.js'

export interface WebMcpOptions {
  /** Unregisters the tools. */
  signal?: AbortSignal
  /** The dialect of the tools, if it is not the endpoint's own. */
  dialect?: string
}

/** The part of the draft standard that is used; browsers have it under changing names. */
interface ModelContext {
  registerTool(
    tool: {
      name: string
      title: string
      description: string
      inputSchema: object
      annotations: { readOnlyHint: boolean }
      execute(args: unknown): Promise<unknown>
    },
    options?: { signal?: AbortSignal },
  ): unknown
  unregisterTool?(name: string): void
}

/** Registers the tools with the browser's own agent. Resolves to false if the browser has none. */
export async function exposeTools(
  engine: Pick<RemoteEngine, 'listTools' | 'callTool'>,
  { signal, dialect }: WebMcpOptions = {},
): Promise<boolean> {
  const context = modelContext()
  if (context === undefined) return false
  const connection = dialect === undefined ? {} : { dialect }
  for (const { name, title, description, inputSchema, annotations } of await engine.listTools(connection)) {
    await context.registerTool(
      {
        name,
        title,
        description,
        inputSchema,
        annotations: { readOnlyHint: annotations.readOnlyHint ?? false },
        execute: (args) => engine.callTool(name, args, connection),
      },
      signal && { signal },
    )
    // Older drafts have no signal.
    signal?.addEventListener('abort', () => context.unregisterTool?.(name), { once: true })
  }
  return true
}

function modelContext(): ModelContext | undefined {
  const places: Array<{ modelContext?: ModelContext } | undefined> = [
    globalThis.document as { modelContext?: ModelContext } | undefined,
    globalThis.navigator as { modelContext?: ModelContext } | undefined,
  ]
  return places.find((place) => place?.modelContext !== undefined)?.modelContext
}
