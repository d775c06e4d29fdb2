/** What `node` is to run. */
import type { ProgramIo } from '../../io/program.js'
import type { Value } from './engine/machine.js'
import type { TestOptions } from './test-options.js'

export interface NodeStart {
  /** What to run: a file, or code. */
  file?: string
  code?: string
  /** `stdin`: the code is the input. `tests`: files of tests are found and run. */
  from: 'file' | 'eval' | 'stdin' | 'tests'
  print: boolean
  check: boolean
  /** What `--input-type` says about the code. */
  inputType?: 'module' | 'commonjs'
  /** Modules to load first. */
  preload: string[]
  /** Modules to import first. */
  imported: string[]
  /** Conditions of packages beside the usual ones. */
  conditions: string[]
  /** Files with variables. */
  envFiles: string[]
  test: TestOptions
  /** The options themselves. */
  execArgv: string[]
  args: string[]
}

/** What the library begins with. */
export function beginning(io: ProgramIo, start: NodeStart): { [key: string]: Value } {
  return {
    ...(start as unknown as { [key: string]: Value }),
    env: Object.fromEntries(io.env),
    cwd: io.cwd,
    seed: Array.from({ length: 4 }, () => Math.floor(io.random() * 2 ** 32)),
    umask: io.umask,
  }
}

/** Files that the code names, to have them before it asks. */
export function likelyFiles(io: ProgramIo, { file, code = '', args }: NodeStart): string[] {
  const literals = [...code.matchAll(/(['"`])((?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*)\1/g)].map(
    ([, , name = '']) => name,
  )
  const names = [...(file === undefined ? [] : [file]), ...args, ...literals.filter((name) => /[./]/.test(name))]
  return [io.cwd, ...new Set(names.slice(0, 30).map((name) => io.path(name)))].filter(
    (path) => !path.startsWith('/dev/'),
  )
}
