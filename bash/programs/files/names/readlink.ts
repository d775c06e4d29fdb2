/** Prints where links lead, and paths without links. */
import { isWithin } from '../../../../src/fs/path.js'
import { describeError } from '../../../io/describe-error.js'
import { defineProgram } from '../../define-program.js'
import { shownName } from '../../quoting.js'
import { requireOperand, usageError } from '../shared/usage.js'
import { type Existence, relativePath, resolvePath } from './resolve-path.js'

const existences: Readonly<Record<string, Existence>> = {
  canonical: 'all-but-last',
  existing: 'existing',
  missing: 'missing',
}

export const readlink = defineProgram({
  name: 'readlink',
  usage: '[OPTION]... FILE...',
  options: {
    canonical: { names: ['-f', '--canonicalize'] },
    existing: { names: ['-e', '--canonicalize-existing'] },
    missing: { names: ['-m', '--canonicalize-missing'] },
    noNewline: { names: ['-n', '--no-newline'] },
    quiet: { names: ['-q', '--quiet', '-s', '--silent'] },
    verbose: { names: ['-v', '--verbose'] },
    zero: { names: ['-z', '--zero'] },
  },
  async run(io, given) {
    requireOperand(io, given.operands)
    const existence = existences[given.last('canonical', 'existing', 'missing') ?? '']
    const isVerbose = given.last('quiet', 'verbose') === 'verbose'
    const isOne = given.operands.length === 1
    if (!isOne && given.has('noNewline')) await io.error('ignoring --no-newline with multiple arguments')
    const end = isOne && given.has('noNewline') ? '' : given.has('zero') ? '\0' : '\n'
    let status = 0
    for (const path of given.operands) {
      try {
        const found = existence ? await resolvePath(io, path, { existence }) : await io.fs.readLink(path)
        await io.stdout.write(found + end)
      } catch (error) {
        const reason = describeError(error)
        if (isVerbose) await io.error(`${shownName(path)}: ${reason}`)
        status = 1
      }
    }
    return status
  },
})

export const realpath = defineProgram({
  name: 'realpath',
  usage: '[OPTION]... FILE...',
  options: {
    existing: { names: ['-e', '--canonicalize-existing'] },
    missing: { names: ['-m', '--canonicalize-missing'] },
    logical: { names: ['-L', '--logical'] },
    physical: { names: ['-P', '--physical'] },
    quiet: { names: ['-q', '--quiet'] },
    relativeTo: { names: ['--relative-to'], value: 'required' },
    relativeBase: { names: ['--relative-base'], value: 'required' },
    noLinks: { names: ['-s', '--strip', '--no-symlinks'] },
    zero: { names: ['-z', '--zero'] },
  },
  async run(io, given) {
    requireOperand(io, given.operands)
    const rules = {
      existence: existences[given.last('existing', 'missing') ?? 'canonical'] as Existence,
      isLogical: given.last('logical', 'physical', 'noLinks') === 'logical',
      keepsLinks: given.last('logical', 'physical', 'noLinks') === 'noLinks',
    }
    const resolveOption = async (path: string | undefined) => {
      if (path === undefined) return undefined
      const found = await resolvePath(io, path, rules)
      if (rules.existence === 'existing' && (await io.fs.stat(found)).kind !== 'directory') {
        throw usageError(io, `${shownName(path)}: Not a directory`)
      }
      return found
    }
    const base = await resolveOption(given.value('relativeBase'))
    const to = (await resolveOption(given.value('relativeTo'))) ?? base
    const isRelative = to !== undefined && (base === undefined || isWithin(base, to))
    let status = 0
    for (const path of given.operands) {
      try {
        const found = await resolvePath(io, path, rules)
        const shown = isRelative && (base === undefined || isWithin(base, found)) ? relativePath(to, found) : found
        await io.stdout.write(shown + (given.has('zero') ? '\0' : '\n'))
      } catch (error) {
        const reason = describeError(error)
        if (!given.has('quiet')) await io.error(`${path === '' ? "''" : shownName(path)}: ${reason}`)
        status = 1
      }
    }
    return status
  },
})
