/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { column } from './fields/column.js'
import { comm } from './fields/comm.js'
import { cut } from './fields/cut.js'
import { join } from './fields/join.js'
import { paste } from './fields/paste.js'
import { uniq } from './fields/uniq.js'
import { colrm } from './layout/colrm.js'
import { expand, unexpand } from './layout/expand.js'
import { fmt } from './layout/fmt.js'
import { fold } from './layout/fold.js'
import { pr } from './layout/pr.js'
import { rev } from './layout/rev.js'
import { shuf } from './sort/shuf.js'
import { sort } from './sort/sort.js'
import { tsort } from './sort/tsort.js'
import { cat } from './streams/cat.js'
import { csplit } from './streams/csplit.js'
import { envsubst } from './streams/envsubst.js'
import { head } from './streams/head.js'
import { look } from './streams/look.js'
import { nl } from './streams/nl.js'
import { less, more } from './streams/pagers.js'
import { split } from './streams/split.js'
import { tac } from './streams/tac.js'
import { tail } from './streams/tail.js'
import { tee } from './streams/tee.js'
import { tr } from './streams/tr.js'
import { wc } from './streams/wc.js'

export const textPrograms: readonly Program[] = [
  cat,
  envsubst,
  colrm,
  column,
  csplit,
  fmt,
  look,
  shuf,
  split,
  tsort,
  comm,
  cut,
  expand,
  fold,
  head,
  join,
  less,
  more,
  nl,
  paste,
  pr,
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
