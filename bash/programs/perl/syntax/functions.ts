/** The functions that a program can call, and how their arguments are read. */

/**
 * `unary`: one argument or none, which binds closer than comparisons; `topic`: `$_` without one; `list`: all that
 * follows; `none`: no argument.
 */
export type Arity = 'unary' | 'topic' | 'list' | 'none'

export const functions: Readonly<Record<string, Arity>> = {
  lc: 'topic',
  uc: 'topic',
  lcfirst: 'topic',
  ucfirst: 'topic',
  length: 'topic',
  chr: 'topic',
  ord: 'topic',
  hex: 'topic',
  oct: 'topic',
  abs: 'topic',
  int: 'topic',
  sqrt: 'topic',
  log: 'topic',
  exp: 'topic',
  sin: 'topic',
  cos: 'topic',
  quotemeta: 'topic',
  defined: 'topic',
  chomp: 'topic',
  chop: 'topic',
  ref: 'topic',
  pos: 'topic',
  rmdir: 'topic',
  undef: 'unary',
  scalar: 'unary',
  exists: 'unary',
  delete: 'unary',
  each: 'unary',
  keys: 'unary',
  values: 'unary',
  shift: 'unary',
  pop: 'unary',
  rand: 'unary',
  localtime: 'unary',
  gmtime: 'unary',
  close: 'unary',
  eof: 'unary',
  exit: 'unary',
  readline: 'unary',
  sleep: 'unary',
  time: 'none',
  wantarray: 'none',
  push: 'list',
  unshift: 'list',
  splice: 'list',
  join: 'list',
  split: 'list',
  sprintf: 'list',
  reverse: 'list',
  die: 'list',
  warn: 'list',
  open: 'list',
  binmode: 'list',
  unlink: 'list',
  mkdir: 'list',
  rename: 'list',
  index: 'list',
  rindex: 'list',
  substr: 'list',
  atan2: 'list',
  system: 'list',
}

/** Names of perl's own that this perl does not have. */
export const refusedFunctions = new Set(
  (
    'accept alarm bind bless caller chdir chmod chown chroot closedir connect crypt dbmclose dbmopen dump evalbytes exec fc fcntl ' +
    'fileno flock fork format formline getc getlogin getpeername getpgrp getppid getpriority getpwnam getpwuid getgrnam getgrgid glob goto ioctl kill ' +
    'link listen local lock lstat msgctl msgget msgrcv msgsnd no opendir pack package pipe prototype read readdir readlink readpipe recv require reset ' +
    'rewinddir seek seekdir select semctl semget semop send setpgrp shmctl shmget shutdown socket srand stat state study symlink syscall sysopen ' +
    'sysread sysseek syswrite tell telldir tie tied times truncate umask unpack untie use utime vec wait waitpid write given when default ' +
    'getsockopt setsockopt __SUB__ __FILE__ __LINE__ __PACKAGE__ CORE AUTOLOAD DESTROY CHECK INIT UNITCHECK'
  ).split(' '),
)

/** What modules bring, by the names they have in a program. */
export const modules: Readonly<Record<string, readonly string[]>> = {
  'List::Util': [
    'sum',
    'sum0',
    'product',
    'min',
    'max',
    'minstr',
    'maxstr',
    'first',
    'any',
    'all',
    'none',
    'uniq',
    'uniqnum',
  ],
  POSIX: ['floor', 'ceil', 'fmod', 'pow', 'strftime', 'INT_MAX', 'DBL_MAX', 'isatty', 'toupper', 'tolower'],
  'Scalar::Util': ['looks_like_number'],
}

/** Those that POSIX brings without being asked. */
export const broughtByDefault: Readonly<Record<string, readonly string[]>> = {
  POSIX: ['floor', 'ceil', 'fmod', 'pow', 'strftime'],
}

/** Names whose functions are written here. */
export const supportedOfModules = new Set([
  ...(modules['List::Util'] ?? []),
  'floor',
  'ceil',
  'fmod',
  'pow',
  'strftime',
  'looks_like_number',
])
