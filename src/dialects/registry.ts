/** The one list of dialects. Each is loaded when it is first used, so that a command or page loads only the one it needs. */
import type { Dialect } from '../tools/dialect.js'

const loaders = {
  polyfs: async () => (await import('./polyfs/tools.js')).polyfs,
  clarvis: async () => (await import('./clarvis/tools.js')).clarvis,
  'fs-context': async () => (await import('./fs-context/tools.js')).fsContext,
  'file-editor': async () => (await import('./file-editor/tools.js')).fileEditor,
  fs: async () => (await import('./fs/tools.js')).fs,
  replay: async () => (await import('./replay/tools.js')).replay,
  anthropic: async () => (await import('./native/anthropic/tools.js')).anthropic,
  openai: async () => (await import('./native/openai/tools.js')).openai,
  gemini: async () => (await import('./native/gemini/tools.js')).gemini,
} satisfies Record<string, () => Promise<Dialect>>

export type DialectName = keyof typeof loaders

/** The names that `--dialect` takes; our own first. */
export const dialectNames = Object.keys(loaders) as readonly DialectName[]

export function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(loaders, name)
}

export function loadDialect(name: DialectName): Promise<Dialect> {
  return loaders[name]()
}

export async function loadDialects(): Promise<Readonly<Record<DialectName, Dialect>>> {
  const all = await Promise.all(dialectNames.map(async (name) => [name, await loadDialect(name)] as const))
  return Object.fromEntries(all) as Record<DialectName, Dialect>
}
