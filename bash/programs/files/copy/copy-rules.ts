/** What the options of `cp` say. */
import type { Backup } from './backup.js'

export interface CopyRules {
  isRecursive: boolean
  /** Which links are followed: all, those given as operands, or none. */
  follows: 'all' | 'operands' | 'none'
  preserves: { mode: boolean; timestamps: boolean }
  /** What happens to an existing file. */
  existing: 'replace' | 'keep' | 'ask'
  isForced: boolean
  removesFirst: boolean
  onlyNewer: boolean
  isVerbose: boolean
  /** Makes links to the sources instead of copies. */
  makesLinks: boolean
  attributesOnly: boolean
  backup?: Backup | undefined
}
