/** Searches compressed files: `grep` on their content. */

import type { ProgramIo } from '../../io/program.js'
import type { ByteReader } from '../../io/streams.js'
import { rawProgram } from '../define-program.js'
import { gunzipped, isGzip } from './compression.js'

const takesValue = /^-[a-zA-Z]*[efmABC]$/

export const zgrep = rawProgram({
  name: 'zgrep',
  usage: '[OPTION]... [-e] PATTERN [FILE]...',
  aliases: ['zegrep', 'zfgrep'],
  async run(io) {
    const grep = io.name.slice(1)
    const options: string[] = []
    const operands: string[] = []
    let hasPattern = false
    for (let index = 0; index < io.args.length; index += 1) {
      const arg = io.args[index] as string
      if (!arg.startsWith('-') || arg === '-') {
        operands.push(arg)
        continue
      }
      options.push(arg)
      if (/^-[a-zA-Z]*[ef]/.test(arg) && !arg.startsWith('--')) hasPattern = true
      if (takesValue.test(arg)) options.push(io.args[(index += 1)] ?? '')
    }
    const pattern = hasPattern ? [] : ['-e', operands.shift() ?? '']
    const label = operands.length > 1 && !options.some((one) => /^-[a-zA-Z]*h/.test(one)) ? ['-H'] : []
    let status = 1
    for (const name of operands.length > 0 ? operands : ['-']) {
      const input = await plain(io, name === '-' ? io.stdin : await io.fs.openRead(name), name)
      const shown = ['--label', name === '-' ? '(standard input)' : name]
      const ended = await io.run([grep, ...options, ...pattern, ...label, ...shown], { stdin: input })
      if (ended === 0) status = 0
      else if (ended > 1) return ended
    }
    return status
  },
})

async function plain(io: ProgramIo, reader: ByteReader, name: string): Promise<ByteReader> {
  const start = await reader.read()
  if (start === undefined) return reader
  reader.unread(start)
  if (!isGzip(start)) return reader
  const again = name === '-' ? undefined : () => io.fs.openRead(name)
  return gunzipped(reader, `${name}: not in gzip format`, io, { again })
}
