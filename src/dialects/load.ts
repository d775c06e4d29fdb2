/** Dialects by name, of which only the one that is spoken is loaded: a command that starts waits for no other. */
import type { Dialect } from '../tools/dialect.js'

const loaders: Readonly<Record<string, () => Promise<Dialect>>> = {
  polyfs: async () => (await import('./polyfs/tools.js')).polyfs,
  clarvis: async () => (await import('./clarvis/tools.js')).clarvis,
  'fs-context': async () => (await import('./fs-context/tools.js')).fsContext,
  'file-editor': async () => (await import('./file-editor/tools.js')).fileEditor,
  fs: async () => (await import('./fs/tools.js')).fs,
  replay: async () => (await import('./replay/tools.js')).replay,
}

/** In the order of `dialects`. */
export const dialectNames: readonly string[] = Object.keys(loaders)

/** Undefined when none has the name. */
export async function loadDialect(name: string): Promise<Dialect | undefined> {
  return Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined
}
