/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { bc } from './bc/bc.js'
import { basePrograms } from './codecs/base-programs.js'
import { iconv } from './codecs/iconv.js'
import { lineEndPrograms } from './codecs/line-ends.js'
import { uuPrograms } from './codecs/uuencode.js'
import { date } from './date.js'
import { dc } from './dc/dc.js'
import { digestPrograms } from './digests/digest-programs.js'
import { hexdump } from './dumps/hexdump.js'
import { od } from './dumps/od.js'
import { strings } from './dumps/strings.js'
import { xxd } from './dumps/xxd.js'
import { expr } from './numbers/expr.js'
import { factor } from './numbers/factor.js'
import { numfmt } from './numbers/numfmt.js'
import { seq } from './numbers/seq.js'

export const dataPrograms: readonly Program[] = [
  date,
  ...digestPrograms,
  od,
  hexdump,
  xxd,
  strings,
  ...basePrograms,
  iconv,
  ...lineEndPrograms,
  ...uuPrograms,
  seq,
  expr,
  factor,
  numfmt,
  bc,
  dc,
]
