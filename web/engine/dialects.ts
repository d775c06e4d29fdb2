import { FsError } from '../../src/errors.js'
import type { Dialect } from '../../src/tools/dialect.js'

/** Each is loaded when it is first asked for: a page seldom speaks more than one. */
const loaders: Readonly<Record<string, () => Promise<Dialect>>> = {
  polyfs: async () => (await import('../../src/dialects/polyfs/tools.js')).polyfs,
  clarvis: async () => (await import('../../src/dialects/clarvis/tools.js')).clarvis,
  replay: async () => (await import('../../src/dialects/replay/tools.js')).replay,
  'file-editor': async () => (await import('../../src/dialects/file-editor/tools.js')).fileEditor,
  'fs-context': async () => (await import('../../src/dialects/fs-context/tools.js')).fsContext,
  fs: async () => (await import('../../src/dialects/fs/tools.js')).fs,
}

export const dialectNames: readonly string[] = Object.keys(loaders)

/** Fails with `INVALID_INPUT` when there is none of that name. */
export async function dialectCalled(name: string): Promise<Dialect> {
  checkDialectName(name)
  return (loaders[name] as () => Promise<Dialect>)()
}

/** The same, and loads nothing. */
export function checkDialectName(name: string): void {
  if (Object.hasOwn(loaders, name)) return
  const expected = dialectNames.join(', ')
  const message = `There is no dialect called ${name}; there are ${expected}`
  throw new FsError('INVALID_INPUT', { issues: [{ at: ['dialect'], kind: 'not-allowed', expected, message }] })
}
