/** The programs of this folder. */
import type { Program } from '../program.js'
import { comm } from './fields/comm.js'
import { cut } from './fields/cut.js'
import { join } from './fields/join.js'
import { paste } from './fields/paste.js'
import { uniq } from './fields/uniq.js'
import { expand, unexpand } from './layout/expand.js'
import { fold } from './layout/fold.js'
import { rev } from './layout/rev.js'
import { sort } from './sort/sort.js'
import { cat } from './streams/cat.js'
import { head } from './streams/head.js'
import { nl } from './streams/nl.js'
import { tac } from './streams/tac.js'
import { tail } from './streams/tail.js'
import { tee } from './streams/tee.js'
import { tr } from './streams/tr.js'
import { wc } from './streams/wc.js'

export const textPrograms: readonly Program[] = [
  cat,
  comm,
  cut,
  expand,
  fold,
  head,
  join,
  nl,
  paste,
  rev,
  sort,
  tac,
  tail,
  tee,
  tr,
  unexpand,
  uniq,
  wc,
]
