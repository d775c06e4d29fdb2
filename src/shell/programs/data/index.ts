/** The programs of this folder. */
import type { Program } from '../program.js'
import { date } from './date.js'
import { digestPrograms } from './digests/digest-programs.js'
import { hexdump } from './dumps/hexdump.js'
import { od } from './dumps/od.js'
import { strings } from './dumps/strings.js'
import { xxd } from './dumps/xxd.js'

export const dataPrograms: readonly Program[] = [date, ...digestPrograms, od, hexdump, xxd, strings]
