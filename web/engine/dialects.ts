import { type DialectName, dialectNames, isDialectName, loadDialect } from '../../src/dialects/registry.js'
import { FsError } from '../../src/errors.js'
import type { Dialect } from '../../src/tools/dialect.js'

/** Fails with `INVALID_INPUT` for an unknown name. */
export async function dialectCalled(name: string): Promise<Dialect> {
  checkDialectName(name)
  return loadDialect(name)
}

/** Fails like `dialectCalled`, without loading the dialect. */
export function checkDialectName(name: string): asserts name is DialectName {
  if (isDialectName(name)) return
  const expected = dialectNames.join(', ')
  const message = `Unknown dialect ${name}; available: ${expected}`
  throw new FsError('INVALID_INPUT', { issues: [{ at: ['dialect'], kind: 'not-allowed', expected, message }] })
}
