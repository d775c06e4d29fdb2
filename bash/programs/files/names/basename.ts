/** The last component of paths, and everything before it. */
import { defineProgram } from '../../define-program.js'
import { extraOperand, requireOperand } from '../shared/usage.js'

export const basename = defineProgram({
  name: 'basename',
  usage: 'NAME [SUFFIX]\nOPTION... NAME...',
  options: {
    multiple: { names: ['-a', '--multiple'] },
    suffix: { names: ['-s', '--suffix'], value: 'required' },
    zero: { names: ['-z', '--zero'] },
  },
  stopsAtOperand: true,
  async run(io, given) {
    requireOperand(io, given.operands)
    const isMultiple = given.has('multiple') || given.has('suffix')
    const [first = '', second, third] = given.operands
    if (!isMultiple && third !== undefined) throw extraOperand(io, third)
    const suffix = given.value('suffix') ?? (isMultiple ? '' : (second ?? ''))
    const end = given.has('zero') ? '\0' : '\n'
    for (const path of isMultiple ? given.operands : [first])
      await io.stdout.write(withoutSuffix(lastName(path), suffix) + end)
    return 0
  },
})

export const dirname = defineProgram({
  name: 'dirname',
  usage: '[OPTION] NAME...',
  options: { zero: { names: ['-z', '--zero'] } },
  async run(io, given) {
    requireOperand(io, given.operands)
    const end = given.has('zero') ? '\0' : '\n'
    for (const path of given.operands) await io.stdout.write(directoryName(path) + end)
    return 0
  },
})

/** `/a/b/` has the last name `b`; `/` has `/`. */
export function lastName(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  if (trimmed === '') return path === '' ? '' : '/'
  return trimmed.slice(trimmed.lastIndexOf('/') + 1)
}

export function directoryName(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  if (trimmed === '') return path === '' ? '.' : '/'
  const slash = trimmed.lastIndexOf('/')
  if (slash === -1) return '.'
  return trimmed.slice(0, slash).replace(/\/+$/, '') || '/'
}

function withoutSuffix(name: string, suffix: string): string {
  return suffix !== '' && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name
}
