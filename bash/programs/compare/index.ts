/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { cmp } from './cmp.js'
import { diff } from './diff/diff.js'
import { patch } from './patch/patch.js'

export const comparePrograms: readonly Program[] = [cmp, diff, patch]
