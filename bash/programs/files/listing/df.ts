/** The file system. Its size is not known, so `-` stands for numbers, as for file systems that have none. */

import { describeError } from '../../../io/describe-error.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { shownName } from '../../quoting.js'

export const df = defineProgram({
  name: 'df',
  usage: '[OPTION]... [FILE]...',
  options: {
    all: { names: ['-a', '--all'] },
    blockSize: { names: ['-B', '--block-size'], value: 'required' },
    human: { names: ['-h', '--human-readable'] },
    si: { names: ['-H', '--si'] },
    inodes: { names: ['-i', '--inodes'] },
    kilo: { names: ['-k'] },
    local: { names: ['-l', '--local'] },
    mega: { names: ['-m'] },
    noSync: { names: ['--no-sync', '--sync'] },
    portable: { names: ['-P', '--portability'] },
    showType: { names: ['-T', '--print-type'] },
  },
  unsupported: ['--output', '--total', '-t', '--type', '-x', '--exclude-type'],
  async run(io, given) {
    let status = 0
    let found = 0
    for (const path of given.operands) {
      try {
        await io.fs.stat(path)
        found += 1
      } catch (error) {
        await io.error(`${shownName(path)}: ${describeError(error)}`)
        status = 1
      }
    }
    if (given.operands.length > 0 && found === 0) return status
    const isHuman = given.has('human') || given.has('si')
    const isPortable = given.has('portable')
    const blocks = isHuman ? 'Size' : given.has('mega') ? '1M-blocks' : isPortable ? '1024-blocks' : '1K-blocks'
    if (given.has('blockSize')) throw new ProgramError("option '-B' is not supported by this shell", 2)
    const headers = given.has('inodes')
      ? ['Inodes', 'IUsed', 'IFree', 'IUse%']
      : [blocks, 'Used', isHuman ? 'Avail' : 'Available', isPortable ? 'Capacity' : 'Use%']
    const widths = headers.map((header, index) => Math.max(header.length, index === 3 ? 4 : 5))
    const line = (name: string, type: string, values: readonly string[], mount: string) =>
      [
        name.padEnd(14),
        ...(given.has('showType') ? [type.padEnd(6)] : []),
        ...values.map((value, index) => value.padStart(widths[index] ?? 0)),
        mount,
      ].join(' ')
    await io.stdout.write(`${line('Filesystem', 'Type', headers, 'Mounted on')}\n`)
    for (let row = 0; row < Math.max(1, found); row += 1) {
      await io.stdout.write(`${line('polyfs', 'polyfs', ['-', '-', '-', '-'], '/')}\n`)
    }
    return status
  },
})
