import type { ContractCase } from '../types.js'
import { attributes } from './attributes.js'
import { capabilities } from './capabilities.js'
import { concurrency } from './concurrency.js'
import { directories } from './directories.js'
import { followedLinks } from './followed-links.js'
import { limits } from './limits.js'
import { links } from './links.js'
import { names } from './names.js'
import { open } from './open.js'
import { ranges } from './ranges.js'
import { readOnly } from './read-only.js'
import { reads } from './reads.js'
import { removal } from './remove.js'
import { renames } from './rename.js'
import { root } from './root.js'
import { stats } from './stat.js'
import { watching } from './watch.js'
import { writes } from './writes.js'

/** The whole contract, in the order in which a new backend is best implemented. */
export const contractCases: readonly ContractCase[] = [
  ...capabilities,
  ...stats,
  ...reads,
  ...ranges,
  ...writes,
  ...directories,
  ...removal,
  ...renames,
  ...attributes,
  ...links,
  ...followedLinks,
  ...names,
  ...open,
  ...watching,
  ...readOnly,
  ...root,
  ...concurrency,
  ...limits,
]
