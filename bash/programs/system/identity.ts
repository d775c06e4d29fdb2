/** Who the user is, and on which system. */

import { systemUser } from '../../io/accounts.js'
import type { Program } from '../../io/program.js'
import { systemHost } from '../../io/system-files.js'
import { defineProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'

const user = systemUser
/** Those of `/etc/passwd`, each with the group of its own number. */
const accounts = [
  { name: 'root', id: 0, group: 'root' },
  { name: 'nobody', id: 65534, group: 'nogroup' },
  { ...user, group: user.name },
]
export const host = systemHost

const whoami = defineProgram({
  name: 'whoami',
  usage: '[OPTION]...',
  options: {},
  async run(io, { operands }) {
    refuseOperands(operands)
    await io.stdout.write(`${user.name}\n`)
    return 0
  },
})

const id = defineProgram({
  name: 'id',
  usage: '[OPTION]... [USER]...',
  options: {
    ignored: { names: ['-a'] },
    group: { names: ['-g', '--group'] },
    groups: { names: ['-G', '--groups'] },
    name: { names: ['-n', '--name'] },
    real: { names: ['-r', '--real'] },
    user: { names: ['-u', '--user'] },
    zero: { names: ['-z', '--zero'] },
  },
  unsupported: ['-Z', '--context'],
  async run(io, given) {
    const one = ['user', 'group', 'groups'] as const
    const chosen = one.filter((key) => given.has(key))
    if (chosen.length > 1) throw new ProgramError('cannot print "only" of more than one choice')
    if (chosen.length === 0 && (given.has('name') || given.has('real'))) {
      throw new ProgramError('cannot print only names or real IDs in default format')
    }
    if (chosen.length === 0 && given.has('zero')) {
      throw new ProgramError('option --zero not permitted in default format')
    }
    let status = 0
    for (const name of given.operands.length > 0 ? given.operands : [user.name]) {
      const known = accounts.find((one) => one.name === name || String(one.id) === name.replace(/^\+/, ''))
      if (known === undefined) {
        await io.error(`‘${name}’: no such user`)
        status = 1
        continue
      }
      const shown = `${known.id}(${known.group})`
      const full = `uid=${known.id}(${known.name}) gid=${shown} groups=${shown}`
      const word = given.has('user') ? known.name : known.group
      const short = given.has('name') ? word : String(known.id)
      await io.stdout.write((chosen.length > 0 ? short : full) + (given.has('zero') ? '\0' : '\n'))
    }
    return status
  },
})

const groups = defineProgram({
  name: 'groups',
  usage: '[OPTION]... [USERNAME]...',
  options: {},
  async run(io, { operands }) {
    if (operands.length === 0) await io.stdout.write(`${user.name}\n`)
    let status = 0
    for (const name of operands) {
      const known = accounts.find((one) => one.name === name)
      if (known !== undefined) await io.stdout.write(`${name} : ${known.group}\n`)
      else {
        await io.error(`‘${name}’: no such user`)
        status = 1
      }
    }
    return status
  },
})

const users = defineProgram({
  name: 'users',
  aliases: ['who'],
  usage: '[OPTION]... [FILE]',
  options: {},
  run: async () => 0,
})

const facts = [
  ['kernel', ['-s', '--kernel-name'], 'Linux'],
  ['node', ['-n', '--nodename'], host],
  ['release', ['-r', '--kernel-release'], '6.1.0'],
  ['version', ['-v', '--kernel-version'], '#1 SMP'],
  ['machine', ['-m', '--machine'], 'x86_64'],
  ['processor', ['-p', '--processor'], 'unknown'],
  ['platform', ['-i', '--hardware-platform'], 'unknown'],
  ['system', ['-o', '--operating-system'], 'GNU/Linux'],
] as const

const uname = defineProgram({
  name: 'uname',
  usage: '[OPTION]...',
  options: {
    all: { names: ['-a', '--all'] },
    kernel: { names: facts[0][1] },
    node: { names: facts[1][1] },
    release: { names: facts[2][1] },
    version: { names: facts[3][1] },
    machine: { names: facts[4][1] },
    processor: { names: facts[5][1] },
    platform: { names: facts[6][1] },
    system: { names: facts[7][1] },
  },
  async run(io, given) {
    refuseOperands(given.operands)
    const isShown = ([key, , value]: (typeof facts)[number]) =>
      given.has('all') ? value !== 'unknown' : given.given.length === 0 ? key === 'kernel' : given.has(key)
    const shown = facts.filter(isShown).map(([, , value]) => value)
    await io.stdout.write(`${shown.join(' ')}\n`)
    return 0
  },
})

const arch = defineProgram({
  name: 'arch',
  usage: '[OPTION]...',
  options: {},
  async run(io, { operands }) {
    refuseOperands(operands)
    await io.stdout.write('x86_64\n')
    return 0
  },
})

const hostname = defineProgram({
  name: 'hostname',
  usage: '[OPTION]...',
  options: {
    short: { names: ['-s', '--short'] },
    full: { names: ['-f', '--fqdn', '--long'] },
    domain: { names: ['-d', '--domain'] },
    address: { names: ['-i', '--ip-address'] },
    addresses: { names: ['-I', '--all-ip-addresses'] },
  },
  unsupported: ['-a', '--alias', '-A', '--all-fqdns', '-b', '--boot', '-F', '--file', '-y', '--yp', '--nis'],
  async run(io, given) {
    if (given.operands.length > 0) throw new ProgramError('you must be root to change the host name')
    const isAddress = given.has('address') || given.has('addresses')
    await io.stdout.write(`${given.has('domain') ? '' : isAddress ? '127.0.0.1' : host}\n`)
    return 0
  },
})

function refuseOperands([first]: readonly string[]): void {
  if (first !== undefined) throw new ProgramError(`extra operand ‘${first}’`)
}

export const identityPrograms: readonly Program[] = [whoami, id, groups, users, uname, arch, hostname]
