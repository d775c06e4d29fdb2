/** All builtins, by name. */
import type { BuiltinRun, Builtins } from './builtin.js'
import { commandBuiltins } from './commands.js'
import { declareBuiltins } from './declare.js'
import { directoryBuiltins } from './directories.js'
import { directoryStackBuiltins } from './directory-stack.js'
import { flowBuiltins } from './flow.js'
import { getoptsBuiltins } from './getopts.js'
import { hashBuiltins } from './hash.js'
import { jobBuiltins } from './jobs.js'
import { mapfileBuiltins } from './mapfile.js'
import { miscBuiltins } from './misc.js'
import { outputBuiltins } from './output.js'
import { readBuiltins } from './read.js'
import { variableBuiltins } from './variables.js'

const all: Builtins = {
  ...outputBuiltins,
  ...flowBuiltins,
  ...declareBuiltins,
  ...variableBuiltins,
  ...getoptsBuiltins,
  ...readBuiltins,
  ...mapfileBuiltins,
  ...directoryBuiltins,
  ...directoryStackBuiltins,
  ...jobBuiltins,
  ...miscBuiltins(() => [...builtins.keys()]),
  ...hashBuiltins((name) => builtins.has(name)),
  ...commandBuiltins(
    (name) => builtins.has(name),
    () => [...builtins.keys()],
  ),
}

export const builtins: ReadonlyMap<string, BuiltinRun> = new Map(Object.entries(all))
