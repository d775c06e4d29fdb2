/** What the programs that ours stand for print of themselves. Scripts read the first line: a name, a version, a usage. */

interface Original {
  /** The first line of `--version`. Default: that of coreutils. */
  version: string
  /** The options that print it. Default: `--version`. */
  versionOptions?: readonly string[]
  /** What `--help` prints above the usage. */
  above?: string
  /** How its usage begins. Default: `Usage: `. */
  usage?: string
  /** How the other forms of the call begin. Default: `  or:  `. */
  also?: string
}

const utilLinux = (name: string): Original => ({
  version: `${name} from util-linux 2.38.1`,
  versionOptions: ['-V', '--version'],
  above: '\n',
  usage: 'Usage:\n ',
  also: ' ',
})
const gnuAwk: Original = {
  version: 'GNU Awk 5.2.1, API 3.2, PMA Avon 8-g1, (GNU MPFR 4.2.0, GNU MP 6.2.1)',
  versionOptions: ['-V', '--version'],
  also: 'Usage: ',
}
const glibc = (name: string): Original => ({ version: `${name} (Debian GLIBC 2.36-9+deb12u14) 2.36` })
const gnu = (version: string, short?: string): Original => ({
  version,
  ...(short !== undefined && { versionOptions: [short, '--version'] }),
})
const grep = gnu('grep (GNU grep) 3.8', '-V')
const ncurses: Original = { version: 'ncurses 6.4.20221231', versionOptions: ['-V'] }
const bzip2: Original = {
  version: 'bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019.',
  versionOptions: ['-V', '--version'],
  above: 'bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019.\n\n',
  usage: '   usage: ',
}
const xz = gnu('xz (XZ Utils) 5.4.1', '-V')
const lineEnds = (name: string): Original => ({
  version: `${name} 7.4.3 (2022-06-05)`,
  versionOptions: ['-V', '--version'],
})
const procps = (name: string): Original => ({
  version: `${name} from procps-ng 4.0.2`,
  versionOptions: ['-V', '--version'],
  above: '\n',
  usage: 'Usage:\n ',
  also: ' ',
})

const others: Readonly<Record<string, Original>> = {
  envsubst: gnu('envsubst (GNU gettext-runtime) 0.21', '-V'),
  ...Object.fromEntries(
    ['colrm', 'column', 'look', 'fallocate', 'hexdump', 'hd', 'getopt', 'setsid', 'ionice', 'more'].map((name) => [
      name,
      utilLinux(name),
    ]),
  ),
  rev: { version: 'rev from util-linux 2.38.1', versionOptions: ['-V', '--version'] },
  dd: gnu('dd (coreutils) 9.1'),
  tree: {
    version: 'tree v2.1.0 © 1996 - 2022 by Steve Baker, Thomas Moore, Francesc Rocher, Florian Sesser, Kyosuke Tokoro',
  },
  less: { version: 'less 590 (GNU regular expressions)', versionOptions: ['-V', '--version'] },
  file: gnu('file-5.44', '-v'),
  find: { version: 'find (GNU findutils) 4.9.0', versionOptions: ['-version', '--version'] },
  xargs: gnu('xargs (GNU findutils) 4.9.0'),
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep: gnu('zgrep (gzip) 1.12', '-V'),
  zegrep: gnu('zgrep (gzip) 1.12', '-V'),
  zfgrep: gnu('zgrep (gzip) 1.12', '-V'),
  rg: {
    version: 'ripgrep 13.0.0',
    versionOptions: ['-V', '--version'],
    above: 'ripgrep 13.0.0\n\n',
    usage: 'USAGE:\n    ',
  },
  jq: {
    version: 'jq-1.6',
    versionOptions: ['-V', '--version'],
    above: 'jq - commandline JSON processor [version 1.6]\n\n',
    usage: 'Usage:\t',
    also: '\t',
  },
  sed: gnu('sed (GNU sed) 4.9'),
  awk: gnuAwk,
  gawk: gnuAwk,
  nawk: gnuAwk,
  mawk: gnuAwk,
  dos2unix: lineEnds('dos2unix'),
  unix2dos: lineEnds('unix2dos'),
  xxd: { version: 'xxd 2022-01-14 by Juergen Weigert et al.', versionOptions: ['-v', '-version', '--version'] },
  strings: { version: 'GNU strings (GNU Binutils for Debian) 2.40', versionOptions: ['-v', '-V', '--version'] },
  iconv: glibc('iconv'),
  getconf: glibc('getconf'),
  locale: glibc('locale'),
  dc: { version: 'dc (GNU bc 1.07.1) 1.4.1', versionOptions: ['-V', '--version'] },
  uuencode: gnu('uuencode (GNU sharutils) 4.15.2', '-v'),
  uudecode: gnu('uudecode (GNU sharutils) 4.15.2', '-v'),
  bc: { version: 'bc 1.07.1', versionOptions: ['-v', '--version'], usage: 'usage: ' },
  cmp: gnu('cmp (GNU diffutils) 3.8', '-v'),
  diff: gnu('diff (GNU diffutils) 3.8', '-v'),
  patch: gnu('GNU patch 2.7.6', '-v'),
  gzip: gnu('gzip 1.12', '-V'),
  gunzip: gnu('gunzip (gzip) 1.12', '-V'),
  zcat: gnu('zcat (gzip) 1.12', '-V'),
  bzip2,
  bunzip2: bzip2,
  bzcat: bzip2,
  xz,
  unxz: xz,
  xzcat: xz,
  tar: gnu('tar (GNU tar) 1.34'),
  zip: {
    version:
      'Copyright (c) 1990-2008 Info-ZIP - Type \'zip "-L"\' for software license.\nThis is Zip 3.0 (July 5th 2008), by Info-ZIP.',
    above: 'Copyright (c) 1990-2008 Info-ZIP - Type \'zip "-L"\' for software license.\n',
    usage: 'Zip 3.0 (July 5th 2008). Usage:\n',
  },
  unzip: {
    version: 'UnZip 6.00 of 20 April 2009, by Debian. Original by Info-ZIP.',
    above: 'UnZip 6.00 of 20 April 2009, by Debian. Original by Info-ZIP.\n\n',
  },
  curl: {
    version: 'curl 7.88.1 (x86_64-pc-linux-gnu)',
    versionOptions: ['-V', '--version'],
  },
  wget: gnu('GNU Wget 1.21.3 built on linux-gnu.', '-V'),
  make: gnu('GNU Make 4.3', '-v'),
  time: gnu('time (GNU Time) UNKNOWN', '-V'),
  hostname: gnu('hostname 3.23', '-V'),
  uptime: procps('uptime'),
  pgrep: procps('pgrep'),
  clear: ncurses,
  reset: ncurses,
  tput: ncurses,
  man: gnu('man 2.11.2', '-V'),
}

export const notice = 'This is the emulation in polyfs, not the original.\n'

export function versionOptionsOf(program: string): readonly string[] {
  return others[program]?.versionOptions ?? ['--version']
}

export function versionText(program: string): string {
  // Scripts compare the whole of it; its help says what it is.
  if (program === 'jq') return 'jq-1.6\n'
  return `${others[program]?.version ?? `${program} (GNU coreutils) 9.1`}\n${notice}`
}

/** `usage`: a form of the call in each line, without the name. */
export function helpText(program: string, usage: string, options = ''): string {
  const { above = '', usage: begins = 'Usage: ', also = '  or:  ' } = others[program] ?? {}
  const [first, ...more] = usage.split('\n')
  const forms = more.map((form) => `${also}${program} ${form}\n`).join('')
  return `${above}${begins}${program} ${first}\n${forms}${options === '' ? '' : `\n${options}`}\n${notice}`
}
