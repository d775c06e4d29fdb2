/** Programs that run a command under other conditions, which make no difference here. */

import type { Program } from '../../io/program.js'
import { defineProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'
import { runCommand } from './run-command.js'

const nice = defineProgram({
  name: 'nice',
  usage: '[OPTION] [COMMAND [ARG]...]',
  options: { adjustment: { names: ['-n', '--adjustment'], value: 'required' } },
  usageStatus: 125,
  stopsAtOperand: true,
  rewrite: (args) =>
    /^-[-+]?\d+$/.test(args[0] ?? '') ? [`-n${(args[0] as string).slice(1)}`, ...args.slice(1)] : args,
  async run(io, given) {
    const adjustment = given.value('adjustment')
    if (adjustment !== undefined && !/^[+-]?\d+$/.test(adjustment)) {
      throw new ProgramError(`invalid adjustment ‘${adjustment}’`, 125)
    }
    if (given.operands.length > 0) return runCommand(io, given.operands)
    if (adjustment !== undefined) throw new ProgramError('a command must be given with an adjustment', 125)
    await io.stdout.write('0\n')
    return 0
  },
})

const nohup = defineProgram({
  name: 'nohup',
  usage: 'COMMAND [ARG]...',
  options: {},
  usageStatus: 125,
  stopsAtOperand: true,
  async run(io, { operands }) {
    if (operands.length === 0) throw new ProgramError('missing operand', 125)
    return runCommand(io, operands)
  },
})

const stdbuf = defineProgram({
  name: 'stdbuf',
  usage: 'OPTION... COMMAND',
  options: {
    input: { names: ['-i', '--input'], value: 'required' },
    output: { names: ['-o', '--output'], value: 'required' },
    error: { names: ['-e', '--error'], value: 'required' },
  },
  usageStatus: 125,
  stopsAtOperand: true,
  async run(io, { operands, given }) {
    if (operands.length === 0) throw new ProgramError('missing operand', 125)
    if (given.length === 0) throw new ProgramError('you must specify a buffering mode option', 125)
    return runCommand(io, operands)
  },
})

const setsid = defineProgram({
  name: 'setsid',
  usage: '[options] <program> [arguments ...]',
  options: {
    wait: { names: ['-w', '--wait'] },
    fork: { names: ['-f', '--fork'] },
    control: { names: ['-c', '--ctty'] },
  },
  stopsAtOperand: true,
  async run(io, { operands }) {
    if (operands.length === 0) throw new ProgramError('no command specified')
    return runCommand(io, operands)
  },
})

const ionice = defineProgram({
  name: 'ionice',
  usage: '[options] <command>',
  options: {
    class: { names: ['-c', '--class'], value: 'required' },
    data: { names: ['-n', '--classdata'], value: 'required' },
    ignore: { names: ['-t', '--ignore'] },
  },
  unsupported: ['-p', '--pid', '-P', '--pgid', '-u', '--uid'],
  stopsAtOperand: true,
  async run(io, { operands }) {
    if (operands.length > 0) return runCommand(io, operands)
    await io.stdout.write('none: prio 0\n')
    return 0
  },
})

/** The program; the shell has a keyword of its own. */
const time = defineProgram({
  name: 'time',
  usage: '[OPTIONS] COMMAND [ARG]...',
  options: { portable: { names: ['-p', '--portability'] } },
  unsupported: ['-f', '--format', '-o', '--output', '-a', '--append', '-v', '--verbose'],
  stopsAtOperand: true,
  async run(io, given) {
    if (given.operands.length === 0) throw new ProgramError('missing program to run', 125)
    const start = io.clock.elapsed()
    const status = await runCommand(io, given.operands)
    const seconds = ((io.clock.elapsed() - start) / 1000).toFixed(2)
    await io.stderr.write(
      given.has('portable')
        ? `real ${seconds}\nuser 0.00\nsys 0.00\n`
        : `0.00user 0.00system 0:${seconds.padStart(5, '0')}elapsed\n`,
    )
    return status
  },
})

export const wrapperPrograms: readonly Program[] = [nice, nohup, stdbuf, setsid, ionice, time]
