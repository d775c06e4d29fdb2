/** Reads the arguments of `python3` and runs it. */
import type { Program, ProgramIo } from '../../io/program.js'
import { ProgramError } from '../program-error.js'
import type { PythonThreads } from './host/python-threads.js'
import { runPython } from './host/run-python.js'
import { type Flags, type PythonStart, type Target, usualFlags } from './wire.js'

/** Of the engine that the optional package has. */
export const pythonVersion = '3.14.2'

/** Every letter that the original takes, with what it sets. */
const settings: { readonly [letter: string]: { readonly [name: string]: number } } = {
  b: { bytes_warning: 1 },
  d: { parser_debug: 1 },
  O: { optimization_level: 1 },
  v: { verbose: 1 },
  P: { safe_path: 1 },
  S: { site_import: 0 },
}
/** They change nothing here. */
const withoutEffect = 'Rst'
const withValue = 'cmWX'
/** What they set beside the configuration. */
const switches: {
  readonly [letter: string]: 'unbuffered' | 'forgets' | 'isolated' | 'interactive' | 'quiet' | 'skipsLine'
} = { u: 'unbuffered', B: 'forgets', I: 'isolated', E: 'isolated', i: 'interactive', q: 'quiet', x: 'skipsLine' }

const usage = `usage: python3 [option] ... [-c cmd | -m mod | file | -] [arg] ...
Options (and corresponding environment variables):
-b     : issue warnings about converting bytes/bytearray to str and comparing
         bytes/bytearray with str or bytes with int; also PYTHONBYTESWARNING=x
         (-bb: issue errors)
-B     : don't keep compiled files, which this Python has in the directory
         for temporary files; also PYTHONDONTWRITEBYTECODE=x
-c cmd : program passed in as string (terminates option list)
-E     : ignore PYTHON* environment variables (such as PYTHONPATH)
-h     : print this help message and exit (also -? or --help)
-i     : inspect interactively after running script; commands come from
         standard input, terminal or not; also PYTHONINSPECT=x
-I     : isolate Python from the user's environment (implies -E -P -s)
-m mod : run library module as a script (terminates option list)
-O     : remove assert and __debug__-dependent statements; also PYTHONOPTIMIZE=x
-OO    : do -O changes and also discard docstrings
-P     : don't prepend a potentially unsafe path to sys.path; also PYTHONSAFEPATH
-q     : don't print version and copyright messages on interactive startup
-u     : force the stdout and stderr streams to be unbuffered; also PYTHONUNBUFFERED=x
-V     : print the Python version number and exit (also --version)
-W arg : warning control; arg is action:message:category:module:lineno
         also PYTHONWARNINGS=arg
-x     : skip first line of source, allowing use of non-Unix forms of #!cmd
-X opt : set implementation-specific option
Arguments:
file   : program read from script file
-      : program read from stdin (default)
arg ...: arguments passed to program in sys.argv[1:]
`

interface Parsed {
  target: Target | 'help' | 'version' | 'long version'
  flags: Flags
  args: string[]
}

/** `maxMemoryBytes`: of one program. */
export function pythonProgram(threads: PythonThreads, maxMemoryBytes: number): Program['run'] {
  return async (io) => {
    const start = startOf(io, maxMemoryBytes)
    if (typeof start !== 'string') return runPython(io, threads, start)
    await io.stdout.write(start)
    return 0
  }
}

/** The text that is printed, or what runs. */
function startOf(io: ProgramIo, maxMemoryBytes: number): string | PythonStart {
  const { args } = io
  const { target, flags, args: rest } = parse(args, io.env)
  if (target === 'help') return usage
  if (target === 'version') return `Python ${pythonVersion}\n`
  if (target === 'long version') return `Python ${pythonVersion} (main) [Clang, WebAssembly]\n`
  return {
    target,
    flags,
    args: rest,
    called: ['python3', ...args],
    env: Object.fromEntries(io.env),
    cwd: io.cwd,
    umask: io.umask,
    maxMemoryBytes,
    seed: Array.from({ length: 4 }, () => Math.floor(io.random() * 2 ** 32)),
    isVirtual: io.clock.isVirtual,
  }
}

function parse(args: readonly string[], env: ReadonlyMap<string, string>): Parsed {
  const flags: Flags = { ...usualFlags, config: {}, warnings: [], x: [] }
  const counts = new Map<string, number>()
  let index = 0
  const parsed = (target: Parsed['target'], rest: readonly string[]) => {
    if (!flags.isolated) fromEnvironment(flags, env, counts)
    for (const [letter, count] of counts) setLevel(flags, letter, count)
    return { target, flags, args: [...rest] }
  }
  for (; index < args.length; index += 1) {
    const arg = args[index] as string
    if (arg === '--') {
      index += 1
      break
    }
    if (arg === '-' || !arg.startsWith('-')) break
    if (arg.startsWith('--')) {
      if (arg === '--version') return parsed('version', [])
      if (arg === '--help' || arg === '--help-all') return parsed('help', [])
      if (arg === '--check-hash-based-pycs') index += 1
      else throw usageError(`unknown option ${arg}`)
      continue
    }
    for (let at = 1; at < arg.length; at += 1) {
      const letter = arg[at] as string
      if (withValue.includes(letter)) {
        const attached = arg.slice(at + 1)
        const value = attached || args[index + 1]
        if (value === undefined) throw usageError(`Argument expected for the -${letter} option`)
        if (attached === '') index += 1
        const rest = args.slice(index + 1)
        if (letter === 'c') return parsed({ kind: 'code', code: `${value}\n` }, rest)
        if (letter === 'm') return parsed({ kind: 'module', name: value }, rest)
        if (letter === 'W') flags.warnings.push(value)
        else addX(flags, value)
        break
      }
      if (letter === 'h' || letter === '?') return parsed('help', [])
      if (letter === 'V') return parsed(/^-V+$/.test(arg) && arg.length > 2 ? 'long version' : 'version', [])
      const named = switches[letter]
      if (named !== undefined) flags[named] = true
      else if (letter in settings) counts.set(letter, (counts.get(letter) ?? 0) + 1)
      else if (!withoutEffect.includes(letter)) throw usageError(`Unknown option: -${letter}`)
    }
  }
  const [file, ...rest] = args.slice(index)
  if (file === undefined || file === '-') return parsed({ kind: 'stdin' }, rest)
  return parsed({ kind: 'file', path: file }, rest)
}

function addX(flags: Flags, value: string): void {
  flags.x.push(value)
  if (value === 'dev') flags.config.dev_mode = 1
  if (value === 'importtime') flags.config.import_time = 1
}

function setLevel(flags: Flags, letter: string, count: number): void {
  for (const [name, value] of Object.entries(settings[letter] ?? {})) {
    flags.config[name] = value === 0 ? 0 : Math.max(count, flags.config[name] ?? 0)
  }
}

/** What the environment sets, as the options do. */
function fromEnvironment(flags: Flags, env: ReadonlyMap<string, string>, counts: Map<string, number>): void {
  const level = (name: string) => {
    const value = env.get(name) ?? ''
    return value === '' ? 0 : Math.max(1, Number.parseInt(value, 10) || 1)
  }
  for (const [name, letter] of [
    ['PYTHONOPTIMIZE', 'O'],
    ['PYTHONVERBOSE', 'v'],
    ['PYTHONBYTESWARNING', 'b'],
  ] as const) {
    if (level(name) > 0) counts.set(letter, Math.max(level(name), counts.get(letter) ?? 0))
  }
  if (level('PYTHONUNBUFFERED') > 0) flags.unbuffered = true
  if (env.get('PYTHONINSPECT')) flags.interactive = true
  if (level('PYTHONDEVMODE') > 0) flags.config.dev_mode = 1
  const seed = env.get('PYTHONHASHSEED')
  if (seed === undefined || seed === '' || seed === 'random' || Number(seed) === 0) return
  if (!/^\d+$/.test(seed) || Number(seed) > 4294967295) {
    throw new ProgramError('PYTHONHASHSEED must be "random" or an integer in range [0; 4294967295]')
  }
  flags.config.hash_seed = Number(seed)
}

function usageError(message: string): ProgramError {
  return new ProgramError(`${message}\n${usage.split('\n', 1)[0]}\nTry 'python3 -h' for more information.`, 2)
}
