/** The programs of this folder. */

import type { Program } from '../program.js'
import { cat } from './streams/cat.js'
import { head } from './streams/head.js'
import { tac } from './streams/tac.js'
import { tail } from './streams/tail.js'
import { tee } from './streams/tee.js'
import { wc } from './streams/wc.js'

export const textPrograms: readonly Program[] = [cat, head, tac, tail, tee, wc]
