/** Owners: everything belongs to the one user there is, and nothing can be given away. */
import type { Stat } from '../../../../src/fs/types.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { quoted, quotedName } from '../../quoting.js'
import { below, userId, userName } from '../shared/facts.js'
import { usageError } from '../shared/usage.js'

const options = {
  changes: { names: ['-c', '--changes'] },
  quiet: { names: ['-f', '--silent', '--quiet'] },
  verbose: { names: ['-v', '--verbose'] },
  recursive: { names: ['-R', '--recursive'] },
  noDereference: { names: ['-h', '--no-dereference'] },
  dereference: { names: ['--dereference'] },
  reference: { names: ['--reference'], value: 'required' },
  preserveRoot: { names: ['--preserve-root', '--no-preserve-root'] },
  walk: { names: ['-H', '-L', '-P'] },
} as const

const known = new Map<string, number>([
  [userName, userId],
  ['root', 0],
])

export const chown = defineProgram({
  name: 'chown',
  usage: '[OPTION]... [OWNER][:[GROUP]] FILE...',
  options,
  unsupported: ['--from'],
  run(io, given) {
    return changeOwners(io, given, (text) => {
      const [owner = '', group = ''] = text.split(/[:.]/)
      if (owner !== '' && idOf(owner) === undefined) return { fault: `invalid user: ${quoted(text)}` }
      if (group !== '' && idOf(group) === undefined) return { fault: `invalid group: ${quoted(text)}` }
      return { isOwn: [owner, group].every((name) => name === '' || idOf(name) === userId), what: 'ownership' }
    })
  },
})

export const chgrp = defineProgram({
  name: 'chgrp',
  usage: '[OPTION]... GROUP FILE...',
  options,
  run(io, given) {
    return changeOwners(io, given, (text) => {
      if (text !== '' && idOf(text) === undefined) return { fault: `invalid group: ${quoted(text)}` }
      return { isOwn: text === '' || idOf(text) === userId, what: 'group' }
    })
  },
})

/** `fault`: the owner is not known. `isOwn`: it is the one everything has already. */
interface Wanted {
  fault?: string
  isOwn?: boolean
  what?: string
}

function idOf(name: string): number | undefined {
  return /^\d+$/.test(name) ? Number(name) : known.get(name)
}

async function changeOwners(
  io: ProgramIo,
  given: {
    has(key: keyof typeof options): boolean
    value(key: keyof typeof options): string | undefined
    operands: readonly string[]
  },
  parse: (text: string) => Wanted,
): Promise<number> {
  const hasReference = given.value('reference') !== undefined
  const [owner = '', ...rest] = given.operands
  const paths = hasReference ? given.operands : rest
  if (given.operands.length === 0) throw usageError(io, 'missing operand')
  if (paths.length === 0) throw usageError(io, `missing operand after ${quoted(owner)}`)
  const wanted: Wanted = hasReference ? { isOwn: true, what: 'ownership' } : parse(owner)
  if (wanted.fault !== undefined) {
    await io.error(wanted.fault)
    return 1
  }
  let status = 0

  async function visit(path: string, stat: Stat): Promise<void> {
    if (given.has('recursive') && stat.kind === 'directory') {
      for (const { name } of await io.fs.readDir(path)) {
        io.step()
        await visit(below(path, name), await io.fs.lstat(below(path, name)))
      }
    }
    if (!wanted.isOwn) {
      if (!given.has('quiet')) await io.error(`changing ${wanted.what} of ${quotedName(path)}: Operation not permitted`)
      status = 1
      return
    }
    if (given.has('verbose'))
      await io.stdout.write(`${wanted.what} of ${quotedName(path)} retained as ${owner || userName}\n`)
  }

  for (const path of paths) {
    try {
      await visit(path, await (given.has('noDereference') ? io.fs.lstat(path) : io.fs.stat(path)))
    } catch (error) {
      const reason = describeError(error)
      if (!given.has('quiet')) await io.error(`cannot access ${quotedName(path)}: ${reason}`)
      status = 1
    }
  }
  return status
}
