/** Small programs about the machine and the terminal. There is no terminal. */
import { entryOf } from '../../../src/text/entry-of.js'
import type { Program } from '../../io/program.js'
import { defineProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'

const tty = defineProgram({
  name: 'tty',
  usage: '[OPTION]...',
  options: { silent: { names: ['-s', '--silent', '--quiet'] } },
  usageStatus: 2,
  async run(io, given) {
    if (!given.has('silent')) await io.stdout.write('not a tty\n')
    return 1
  },
})

const nproc = defineProgram({
  name: 'nproc',
  usage: '[OPTION]...',
  options: { all: { names: ['--all'] }, ignore: { names: ['--ignore'], value: 'required' } },
  async run(io, given) {
    const ignored = given.value('ignore') ?? '0'
    if (!/^\d+$/.test(ignored)) throw new ProgramError(`invalid number: ‘${ignored}’`)
    await io.stdout.write('1\n')
    return 0
  },
})

const uptime = defineProgram({
  name: 'uptime',
  usage: '[options]',
  options: { pretty: { names: ['-p', '--pretty'] }, since: { names: ['-s', '--since'] } },
  async run(io, given) {
    const now = new Date(io.now()).toISOString()
    if (given.has('pretty')) await io.stdout.write('up 0 minutes\n')
    else if (given.has('since')) await io.stdout.write(`${now.slice(0, 19).replace('T', ' ')}\n`)
    else await io.stdout.write(` ${now.slice(11, 19)} up 0 min,  0 users,  load average: 0.00, 0.00, 0.00\n`)
    return 0
  },
})

const configuration: Readonly<Record<string, string>> = {
  PAGE_SIZE: '4096',
  PAGESIZE: '4096',
  _NPROCESSORS_ONLN: '1',
  _NPROCESSORS_CONF: '1',
  ARG_MAX: '2097152',
  PATH_MAX: '4096',
  NAME_MAX: '255',
  PIPE_BUF: '4096',
  LONG_BIT: '64',
  WORD_BIT: '32',
  CHAR_BIT: '8',
  INT_MAX: '2147483647',
  OPEN_MAX: '1024',
  LINE_MAX: '2048',
  HOST_NAME_MAX: '64',
  PATH: '/bin:/usr/bin',
  GNU_LIBC_VERSION: 'glibc 2.36',
}

const getconf = defineProgram({
  name: 'getconf',
  usage: '[-v specification] variable_name [pathname]',
  options: {},
  unsupported: ['-a', '-v'],
  async run(io, { operands }) {
    const [name] = operands
    if (name === undefined) throw new ProgramError('missing operand')
    const value = entryOf(configuration, name)
    if (value === undefined) throw new ProgramError(`Unrecognized variable \`${name}'`, 2)
    await io.stdout.write(`${value}\n`)
    return 0
  },
})

const categories = [
  'CTYPE',
  'NUMERIC',
  'TIME',
  'COLLATE',
  'MONETARY',
  'MESSAGES',
  'PAPER',
  'NAME',
  'ADDRESS',
  'TELEPHONE',
  'MEASUREMENT',
  'IDENTIFICATION',
] as const

const locale = defineProgram({
  name: 'locale',
  usage: '[OPTION...] NAME',
  options: { all: { names: ['-a', '--all-locales'] }, maps: { names: ['-m', '--charmaps'] } },
  unsupported: ['-c', '--category-name', '-k', '--keyword-name', '-v', '--verbose'],
  async run(io, given) {
    if (given.has('all')) await io.stdout.write('C\nC.utf8\nPOSIX\n')
    else if (given.has('maps')) await io.stdout.write('ANSI_X3.4-1968\nUTF-8\n')
    else if (given.operands.length > 0) {
      if (given.operands.some((name) => name !== 'charmap')) {
        throw new ProgramError(`the name '${given.operands[0]}' is not supported by this shell`, 2)
      }
      await io.stdout.write('UTF-8\n')
    } else {
      const all = io.env.get('LC_ALL') ?? ''
      const language = io.env.get('LANG') ?? ''
      const lines = categories.map((name) => {
        const own = io.env.get(`LC_${name}`)
        if (all === '' && own !== undefined) return `LC_${name}=${own}\n`
        return `LC_${name}="${all || language || 'POSIX'}"\n`
      })
      await io.stdout.write(
        `LANG=${language}\nLANGUAGE=${io.env.get('LANGUAGE') ?? ''}\n${lines.join('')}LC_ALL=${all}\n`,
      )
    }
    return 0
  },
})

const clear = defineProgram({
  name: 'clear',
  aliases: ['reset'],
  usage: '[options]',
  options: { keep: { names: ['-x'] }, type: { names: ['-T'], value: 'required' } },
  async run(io) {
    await io.stdout.write('\x1b[H\x1b[2J\x1b[3J')
    return 0
  },
})

/** Capabilities of a terminal like xterm. */
const capabilities: Readonly<Record<string, string>> = {
  bold: '\x1b[1m',
  dim: '\x1b[2m',
  rev: '\x1b[7m',
  smul: '\x1b[4m',
  rmul: '\x1b[24m',
  smso: '\x1b[7m',
  rmso: '\x1b[27m',
  sgr0: '\x1b[m',
  el: '\x1b[K',
  ed: '\x1b[J',
  clear: '\x1b[H\x1b[2J\x1b[3J',
  home: '\x1b[H',
  civis: '\x1b[?25l',
  cnorm: '\x1b[?12l\x1b[?25h',
  cols: '80\n',
  lines: '24\n',
  colors: '8\n',
}

const tput = defineProgram({
  name: 'tput',
  usage: '[options] capname [parameters]',
  options: { terminal: { names: ['-T'], value: 'required' } },
  unsupported: ['-S', '-V', '-x'],
  usageStatus: 2,
  async run(io, given) {
    const [name, ...parameters] = given.operands
    if (name === undefined) throw new ProgramError('usage: tput [-V] [-S] [-x] [-T term] capname', 2)
    if (!given.has('terminal') && io.env.get('TERM') === undefined) {
      throw new ProgramError('No value for $TERM and no -T specified', 2)
    }
    const known = entryOf(capabilities, name)
    if (known !== undefined) await io.stdout.write(known)
    else if (name === 'setaf' || name === 'setab') {
      await io.stdout.write(`\x1b[${name === 'setaf' ? 3 : 4}${parameters[0] ?? '0'}m`)
    } else if (name === 'cup') {
      await io.stdout.write(`\x1b[${Number(parameters[0] ?? 0) + 1};${Number(parameters[1] ?? 0) + 1}H`)
    } else throw new ProgramError(`unknown terminfo capability '${name}'`, 4)
    return 0
  },
})

const stty = defineProgram({
  name: 'stty',
  usage: '[SETTING]...',
  options: { all: { names: ['-a', '--all'] }, save: { names: ['-g', '--save'] } },
  rewrite: (args) => args.map((arg) => (/^-[a-z]{2,}$/.test(arg) ? arg.slice(1) : arg)),
  async run() {
    throw new ProgramError("'standard input': Inappropriate ioctl for device")
  },
})

const yes = defineProgram({
  name: 'yes',
  usage: '[STRING]...',
  options: {},
  async run(io, { operands }) {
    const line = `${operands.length > 0 ? operands.join(' ') : 'y'}\n`
    const block = line.repeat(Math.max(1, Math.floor(16384 / line.length)))
    for (;;) {
      await io.stdout.write(block)
      await io.stdout.flush()
      io.step()
    }
  },
})

/** There are no processes to be found. */
const pgrep = defineProgram({
  name: 'pgrep',
  aliases: ['pidof'],
  usage: '[options] <pattern>',
  options: {
    full: { names: ['-f', '--full'] },
    name: { names: ['-l', '--list-name'] },
    all: { names: ['-a', '--list-full'] },
    exact: { names: ['-x', '--exact'] },
    count: { names: ['-c', '--count'] },
    newest: { names: ['-n', '--newest'] },
    oldest: { names: ['-o', '--oldest'] },
    user: { names: ['-u', '--euid'], value: 'required' },
  },
  usageStatus: 2,
  async run(io, given) {
    if (given.operands.length === 0 && !given.has('user')) throw new ProgramError('no matching criteria specified', 2)
    if (given.has('count')) await io.stdout.write('0\n')
    return 1
  },
})

const man = defineProgram({
  name: 'man',
  usage: 'PAGE...',
  options: {},
  async run(io, { operands }) {
    await io.stderr.write(
      operands.length === 0 ? 'What manual page do you want?\n' : `No manual entry for ${operands[0]}\n`,
    )
    return operands.length === 0 ? 1 : 16
  },
})

export const machinePrograms: readonly Program[] = [
  tty,
  nproc,
  uptime,
  getconf,
  locale,
  clear,
  tput,
  stty,
  yes,
  pgrep,
  man,
]
