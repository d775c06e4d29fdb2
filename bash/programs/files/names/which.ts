/** Prints where commands are. */
import { defineProgram } from '../../define-program.js'
import { below, modeOf, statIfThere } from '../shared/facts.js'

export const which = defineProgram({
  name: 'which',
  usage: '[-as] command...',
  options: { all: { names: ['-a'] }, silent: { names: ['-s'] } },
  usageStatus: 2,
  usageHint: 'Usage: /usr/bin/which [-as] args',
  async run(io, given) {
    if (given.operands.length === 0) return 1
    const directories = (io.env.get('PATH') ?? '/usr/bin:/bin').split(':').map((directory) => directory || '.')
    let status = 0
    for (const name of given.operands) {
      const candidates = name.includes('/') ? [name] : directories.map((directory) => below(directory, name))
      let isFound = false
      for (const path of candidates) {
        const stat = await statIfThere(io.fs, path)
        if (stat === undefined || stat.kind === 'directory' || (modeOf(stat) & 0o111) === 0) continue
        isFound = true
        if (!given.has('silent')) await io.stdout.write(`${path}\n`)
        if (!given.has('all')) break
      }
      if (!isFound) status = 1
    }
    return status
  },
})
