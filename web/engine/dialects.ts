import { FsError } from '../../src/errors.js'
import type { Dialect } from '../../src/tools/dialect.js'

/** Each is loaded on first use: a page seldom uses more than one. */
const loaders: Readonly<Record<string, () => Promise<Dialect>>> = {
  polyfs: async () => (await import('../../src/dialects/polyfs/tools.js')).polyfs,
  clarvis: async () => (await import('../../src/dialects/clarvis/tools.js')).clarvis,
  replay: async () => (await import('../../src/dialects/replay/tools.js')).replay,
  'file-editor': async () => (await import('../../src/dialects/file-editor/tools.js')).fileEditor,
  'fs-context': async () => (await import('../../src/dialects/fs-context/tools.js')).fsContext,
  fs: async () => (await import('../../src/dialects/fs/tools.js')).fs,
}

export const dialectNames: readonly string[] = Object.keys(loaders)

/** Fails with `INVALID_INPUT` for an unknown name. */
export async function dialectCalled(name: string): Promise<Dialect> {
  checkDialectName(name)
  return (loaders[name] as () => Promise<Dialect>)()
}

/** Fails like `dialectCalled`, without loading the dialect. */
export function checkDialectName(name: string): void {
  if (Object.hasOwn(loaders, name)) return
  const expected = dialectNames.join(', ')
  const message = `There is no dialect called ${name}; there are ${expected}`
  throw new FsError('INVALID_INPUT', { issues: [{ at: ['dialect'], kind: 'not-allowed', expected, message }] })
}
