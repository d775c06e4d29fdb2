/** The programs of this folder. */
import type { Program } from '../../io/program.js'
import { env, printenv } from './env.js'
import { getopt } from './getopt.js'
import { identityPrograms } from './identity.js'
import { machinePrograms } from './machine.js'
import { sleep } from './sleep.js'
import { timeout } from './timeout.js'
import { wrapperPrograms } from './wrappers.js'

export const systemPrograms: readonly Program[] = [
  env,
  printenv,
  getopt,
  sleep,
  timeout,
  ...wrapperPrograms,
  ...identityPrograms,
  ...machinePrograms,
]
