/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { bunzip2, bzcat, bzip2 } from './bzip2/bzip2.js'
import { gunzip, gzip, zcat } from './gzip.js'
import { tar } from './tar/tar.js'
import { unzip } from './unzip.js'
import { unxz, xz, xzcat } from './xz/xz.js'
import { zgrep } from './zgrep.js'
import { zip } from './zip.js'

export const archivesPrograms: readonly Program[] = [
  gzip,
  gunzip,
  zcat,
  zgrep,
  bzip2,
  bunzip2,
  bzcat,
  xz,
  unxz,
  xzcat,
  tar,
  zip,
  unzip,
]
