/** `md5sum` and its relatives, `b2sum`, `cksum` and `sum`. */
import { entryOf } from '../../../../src/text/entry-of.js'
import type { Program, ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { ProgramError } from '../../program-error.js'
import { type Algorithm, algorithms, blake } from './algorithms.js'
import { bsdSum, type Checksum, posixCrc, systemVSum } from './checksums.js'
import { checkDigests, feed, printDigests } from './digest-files.js'

const checkOptions = {
  check: { names: ['-c', '--check'] },
  ignoreMissing: { names: ['--ignore-missing'] },
  quiet: { names: ['--quiet'] },
  status: { names: ['--status'] },
  strict: { names: ['--strict'] },
  warn: { names: ['-w', '--warn'] },
} as const
const printOptions = {
  tag: { names: ['--tag'] },
  zero: { names: ['-z', '--zero'] },
} as const
const modes = { binary: { names: ['-b', '--binary'] }, text: { names: ['-t', '--text'] } } as const
const length = { names: ['-l', '--length'], value: 'required' } as const

interface Flags {
  has(key: keyof typeof checkOptions | keyof typeof printOptions): boolean
}

const onlyForChecks = [
  ['ignoreMissing', '--ignore-missing'],
  ['status', '--status'],
  ['warn', '--warn'],
  ['quiet', '--quiet'],
  ['strict', '--strict'],
] as const

function refuseSenseless(flags: Flags): void {
  if (flags.has('check')) {
    if (flags.has('tag')) throw new ProgramError('the --tag option is meaningless when verifying checksums')
    if (flags.has('zero')) throw new ProgramError('the --zero option is not supported when verifying checksums')
    return
  }
  const [senseless] = onlyForChecks.filter(([key]) => flags.has(key))
  if (senseless) throw new ProgramError(`the ${senseless[1]} option is meaningful only when verifying checksums`)
}

async function runDigest(
  io: ProgramIo,
  flags: Flags,
  given: { algorithm: Algorithm; tagged: boolean; binary: boolean; operands: readonly string[]; fixed?: boolean },
): Promise<number> {
  refuseSenseless(flags)
  const names = given.operands.length > 0 ? given.operands : ['-']
  const { algorithm, tagged, binary } = given
  if (!flags.has('check')) return printDigests(io, names, { algorithm, tagged, binary, zero: flags.has('zero') })
  return checkDigests(io, names, given.fixed === false ? undefined : algorithm, {
    ignoreMissing: flags.has('ignoreMissing'),
    quiet: flags.has('quiet'),
    status: flags.has('status'),
    strict: flags.has('strict'),
    warn: flags.has('warn'),
  })
}

function digestProgram(name: string, algorithm: Algorithm): Program {
  return defineProgram({
    name,
    usage: '[OPTION]... [FILE]...',
    options: { ...checkOptions, ...printOptions, ...modes },
    run: (io, given) =>
      runDigest(io, given, {
        algorithm,
        tagged: given.has('tag'),
        binary: given.last('binary', 'text') === 'binary',
        operands: given.operands,
      }),
  })
}

function blakeLength(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^\d+$/.test(text)) throw new ProgramError(`invalid length: ‘${text}’`)
  const bits = Number(text)
  if (bits > 512) {
    throw new ProgramError(`invalid length: ‘${text}’\nmaximum digest length for ‘BLAKE2b’ is 512 bits`)
  }
  if (bits % 8 !== 0) throw new ProgramError(`invalid length: ‘${text}’\nlength is not a multiple of 8`)
  return bits
}

const b2sum = defineProgram({
  name: 'b2sum',
  usage: '[OPTION]... [FILE]...',
  options: { ...checkOptions, ...printOptions, ...modes, length },
  run: (io, given) =>
    runDigest(io, given, {
      algorithm: blake(blakeLength(given.value('length'))),
      tagged: given.has('tag'),
      binary: given.last('binary', 'text') === 'binary',
      operands: given.operands,
    }),
})

async function printSums(
  io: ProgramIo,
  operands: readonly string[],
  create: () => Checksum,
  show: (sum: number, size: number) => string,
): Promise<number> {
  let status = 0
  for (const name of operands.length > 0 ? operands : ['-']) {
    const checksum = create()
    if (!(await feed(io, name, checksum.update))) {
      status = 1
      continue
    }
    const { sum, size } = checksum.digest()
    await io.stdout.write(`${show(sum, size)}${operands.length > 0 ? ` ${name}` : ''}\n`)
  }
  return status
}

const sums: Readonly<Record<string, { create: () => Checksum; show: (sum: number, size: number) => string }>> = {
  bsd: {
    create: bsdSum,
    show: (sum, size) => `${String(sum).padStart(5, '0')} ${String(Math.ceil(size / 1024)).padStart(5)}`,
  },
  sysv: { create: systemVSum, show: (sum, size) => `${sum} ${Math.ceil(size / 512)}` },
  crc: { create: posixCrc, show: (sum, size) => `${sum} ${size}` },
}
const cksumNames = ['bsd', 'sysv', 'crc', ...Object.keys(algorithms), 'blake2b', 'sm3']

const cksum = defineProgram({
  name: 'cksum',
  usage: '[OPTION]... [FILE]...',
  options: {
    ...checkOptions,
    ...printOptions,
    length,
    algorithm: { names: ['-a', '--algorithm'], value: 'required' },
    untagged: { names: ['--untagged'] },
  },
  unsupported: ['--debug'],
  run(io, given) {
    const name = given.value('algorithm')
    if (name !== undefined && !cksumNames.includes(name)) {
      const valid = cksumNames.map((known) => `\n  - ‘${known}’`).join('')
      throw new ProgramError(`invalid argument ‘${name}’ for ‘--algorithm’\nValid arguments are:${valid}`)
    }
    if (name === 'sm3') throw new ProgramError("the algorithm 'sm3' is not supported by this shell", 2)
    const sum = entryOf(sums, name ?? 'crc')
    if (given.has('length') && name !== 'blake2b') {
      throw new ProgramError('--length is only supported with --algorithm=blake2b')
    }
    if (sum !== undefined && !given.has('check')) return printSums(io, given.operands, sum.create, sum.show)
    if (sum !== undefined && name !== undefined) {
      throw new ProgramError('--check is not supported with --algorithm={bsd,sysv,crc}')
    }
    const known: Algorithm | undefined = name === undefined ? undefined : entryOf(algorithms, name)
    return runDigest(io, given, {
      algorithm: known ?? blake(blakeLength(given.value('length'))),
      tagged: given.last('untagged', 'tag') !== 'untagged',
      binary: false,
      operands: given.operands,
      fixed: name !== undefined,
    })
  },
})

const sum = defineProgram({
  name: 'sum',
  usage: '[OPTION]... [FILE]...',
  options: { bsd: { names: ['-r'] }, systemV: { names: ['-s', '--sysv'] } },
  run(io, given) {
    const chosen = sums[given.last('bsd', 'systemV') === 'systemV' ? 'sysv' : 'bsd']
    if (chosen === undefined) throw new ProgramError('no such checksum')
    return printSums(io, given.operands, chosen.create, chosen.show)
  },
})

export const digestPrograms: readonly Program[] = [
  ...Object.entries(algorithms).map(([name, algorithm]) => digestProgram(`${name}sum`, algorithm)),
  b2sum,
  cksum,
  sum,
]
