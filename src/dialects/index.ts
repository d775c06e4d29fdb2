import { clarvis } from './clarvis/tools.js'
import type { Dialect } from './dialect.js'

/** Every dialect by the name `--dialect` takes. */
export const dialects: Readonly<Record<string, Dialect>> = { [clarvis.name]: clarvis }
