/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { chmod } from './change/chmod.js'
import { chgrp, chown } from './change/chown.js'
import { dd } from './change/dd.js'
import { mkdir, rmdir } from './change/mkdir.js'
import { mkfifo, mknod } from './change/mkfifo.js'
import { rm } from './change/rm.js'
import { link, sync, unlink } from './change/small-programs.js'
import { touch } from './change/touch.js'
import { fallocate, truncate } from './change/truncate.js'
import { cp } from './copy/cp.js'
import { install } from './copy/install.js'
import { ln } from './copy/ln.js'
import { mv } from './copy/mv.js'
import { file } from './file/file.js'
import { find } from './find/find.js'
import { xargs } from './find/xargs.js'
import { df } from './listing/df.js'
import { du } from './listing/du.js'
import { dir, ls } from './listing/ls.js'
import { stat } from './listing/stat.js'
import { tree } from './listing/tree.js'
import { basename, dirname } from './names/basename.js'
import { mktemp } from './names/mktemp.js'
import { pathchk } from './names/pathchk.js'
import { readlink, realpath } from './names/readlink.js'
import { which } from './names/which.js'

export const filesPrograms: readonly Program[] = [
  basename,
  dirname,
  readlink,
  realpath,
  mktemp,
  pathchk,
  which,
  mkdir,
  rmdir,
  rm,
  touch,
  chmod,
  chown,
  chgrp,
  truncate,
  fallocate,
  dd,
  sync,
  link,
  unlink,
  mkfifo,
  mknod,
  cp,
  mv,
  ln,
  install,
  ls,
  dir,
  stat,
  du,
  df,
  tree,
  file,
  find,
  xargs,
]
