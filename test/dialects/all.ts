import { type DialectName, loadDialects } from '../../src/dialects/registry.js'
import type { Dialect } from '../../src/tools/dialect.js'

/** Every dialect by its name. */
export const dialects: Readonly<Record<DialectName, Dialect> & Record<string, Dialect>> = await loadDialects()
