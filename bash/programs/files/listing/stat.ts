/** Shows what is known of files. */
import { FsError } from '../../../../src/errors.js'
import { describeError } from '../../../io/describe-error.js'
import type { ProgramIo } from '../../../io/program.js'
import { defineProgram } from '../../define-program.js'
import { quotedName } from '../../quoting.js'
import { requireOperand } from '../shared/usage.js'
import { type StatSubject, statText } from './stat-format.js'

const defaultFormat = [
  '  File: %N',
  '  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F',
  'Device: %Hd,%Ld\tInode: %-10i  Links: %h',
  'Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)',
  'Access: %x',
  'Modify: %y',
  'Change: %z',
  ' Birth: %w',
].join('\n')
const terseFormat = '%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o'
const systemFormat = [
  '  File: "%n"',
  '    ID: %-8i Namelen: %-7l Type: %T',
  'Block size: %-10s Fundamental block size: %S',
  'Blocks: Total: %-10b Free: %-10f Available: %a',
  'Inodes: Total: %-10c Free: %d',
].join('\n')
const terseSystemFormat = '%n %i %l %t %s %S %b %f %a %c %d'

export const stat = defineProgram({
  name: 'stat',
  usage: '[OPTION]... FILE...',
  options: {
    dereference: { names: ['-L', '--dereference'] },
    fileSystem: { names: ['-f', '--file-system'] },
    cached: { names: ['--cached'], value: 'required' },
    format: { names: ['-c', '--format'], value: 'required' },
    printf: { names: ['--printf'], value: 'required' },
    terse: { names: ['-t', '--terse'] },
  },
  async run(io, given) {
    requireOperand(io, given.operands)
    const isSystem = given.has('fileSystem')
    const last = given.last('format', 'printf')
    const isTerse = given.has('terse')
    const usual = isSystem ? (isTerse ? terseSystemFormat : systemFormat) : isTerse ? terseFormat : defaultFormat
    const format = last === undefined ? usual : (given.value(last) ?? '')
    let status = 0
    for (const path of given.operands) {
      try {
        const subject = await subjectOf(io, path, given.has('dereference') || isSystem)
        const rules = { isSystem, isPrintf: last === 'printf', quotesName: last !== undefined }
        const text = await statText(io, format, subject, rules)
        await io.stdout.write(last === 'printf' ? text : `${text}\n`)
      } catch (error) {
        const verb = isSystem ? 'cannot read file system information for' : 'cannot statx'
        await io.error(`${verb} ${quotedName(path)}: ${describeError(error)}`)
        status = 1
      }
    }
    return status
  },
})

async function subjectOf(io: ProgramIo, path: string, follows: boolean): Promise<StatSubject> {
  if (path === '-') throw new FsError('UNSUPPORTED', { path, operation: 'stat' })
  const stat = await (follows ? io.fs.stat(path) : io.fs.lstat(path))
  return { path, stat, ...(stat.kind === 'symlink' && { target: await io.fs.readLink(path) }) }
}
