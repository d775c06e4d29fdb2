/** JavaScript on an engine of its own; the part that is always loaded only reads the arguments. */

import type { Program, ProgramIo } from '../../io/program.js'
import { rawProgram } from '../define-program.js'
import { ProgramError } from '../program-error.js'
import type { NodeStart } from './start.js'
import { noTests, readTestOption } from './test-options.js'
import type { NodeThreads } from './wire.js'

const version = 'v20.20.2'

/** Those that change nothing here: warnings, and what the engine does not have. */
const withoutEffect = [
  '--no-warnings',
  '--trace-warnings',
  '--no-deprecation',
  '--trace-uncaught',
  '--enable-source-maps',
  '--experimental-vm-modules',
  '--experimental-json-modules',
  '--experimental-require-module',
  '--experimental-detect-module',
  '--experimental-strip-types',
  '--experimental-test-module-mocks',
  '--no-experimental-require-module',
  '--preserve-symlinks-main',
]
const withoutEffectPrefixes = [
  '--max-old-space-size=',
  '--stack-trace-limit=',
  '--unhandled-rejections=throw',
  '--disable-warning=',
]

/** Options of the original that are missing here. */
const unsupported = [
  '-i',
  '--interactive',
  '--watch',
  '--watch-path',
  '--loader',
  '--experimental-loader',
  '--experimental-transform-types',
  '--experimental-default-type',
  '--inspect',
  '--inspect-brk',
  '--prof',
  '--cpu-prof',
  '--heap-prof',
  '--expose-gc',
  '--harmony',
  '--throw-deprecation',
  '--trace-deprecation',
  '--unhandled-rejections',
  '--use-strict',
  '--permission',
  '--experimental-permission',
  '--title',
  '--run',
  '--v8-options',
  '--icu-data-dir',
  '--dns-result-order',
  '--preserve-symlinks',
  '--frozen-intrinsics',
  '--disallow-code-generation-from-strings',
  '--experimental-test-coverage',
  '--stack-size',
  '--tls-min-v1.2',
  '--openssl-legacy-provider',
]

/** Threads with the browser's own engine, if there is one that can wait for files. */
export type NodeEngines = () => Promise<NodeThreads | undefined>

export const node = nodeProgram(async () => undefined)

export function nodeProgram(engines: NodeEngines): Program {
  /** Asked once: what a page can't do it will not learn. */
  let threads: ReturnType<NodeEngines> | undefined

  /** Runs that can be repeated are those of the engine whose every step is counted. */
  async function onThread(io: ProgramIo, start: NodeStart): Promise<number | undefined> {
    if (io.clock.isVirtual) return undefined
    threads ??= engines()
    const found = await threads
    if (found === undefined) return undefined
    const { runOnThread } = await import('./host/run-on-thread.js')
    const status = await runOnThread(io, found, start)
    if (status === 'no threads') threads = Promise.resolve(undefined)
    return typeof status === 'number' ? status : undefined
  }

  return rawProgram({
    name: 'node',
    aliases: ['nodejs'],
    run: (io) => runCommandLine(io, onThread),
  })
}

async function runCommandLine(
  io: ProgramIo,
  onThread: (io: ProgramIo, start: NodeStart) => Promise<number | undefined>,
): Promise<number> {
  const start = parse(optionsInEnvironment(io.env.get('NODE_OPTIONS')).concat(io.args))
  if (start === 'version' || start === 'help') {
    await io.stdout.write(start === 'version' ? `${version}\n` : usage)
    return 0
  }
  const given = await withCode(io, start)
  const status = await onThread(io, given)
  if (status !== undefined) return status
  const { runNode } = await io.clock.outside(import('./run-node.js'))
  return runNode(io, given)
}

const usage = `Usage: node [options] [ script.js ] [arguments]
       node [options] -e CODE [arguments]

Options:
  -e, --eval CODE      run CODE
  -p, --print CODE     run CODE and print its result
  -c, --check          check the syntax of a script
  -r, --require NAME   load a module first
  --import NAME        import a module first
  -C, --conditions NAME
                       a condition of exports and imports of packages
  --env-file FILE      variables for the script
  --test               run tests: files, or those of the directory that are named as tests
  --test-reporter NAME print results as tap, spec, dot or junit, or with a module
  --test-reporter-destination FILE
  --test-name-pattern PATTERN
  --test-only, --test-timeout MS, --test-shard INDEX/TOTAL, --test-force-exit, --test-concurrency COUNT
  --input-type=module  CODE or the input is an ES module
  -v, --version        print the version
`

/** Options for every `node`, as words of a simple shell. */
function optionsInEnvironment(text = ''): string[] {
  return [...text.matchAll(/(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"/g, (_, inside: string) => inside.replace(/\\(.)/g, '$1')),
  )
}

function parse(args: readonly string[]): NodeStart | 'version' | 'help' {
  const test = noTests()
  const start: NodeStart = {
    from: 'stdin',
    print: false,
    check: false,
    preload: [],
    imported: [],
    conditions: [],
    envFiles: [],
    test,
    execArgv: [],
    args: [],
  }
  let index = 0
  const value = (name: string, attached: string | undefined) => {
    if (attached !== undefined) return attached
    index += 1
    const given = args[index]
    if (given === undefined) throw new ProgramError(`${name} requires an argument`, 9)
    return given
  }
  for (; index < args.length; index += 1) {
    const arg = args[index] as string
    const first = index
    if (arg === '--') {
      index += 1
      break
    }
    if (arg === '-' || !arg.startsWith('-')) break
    const [, name = arg, attached] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? []
    if (name === '-v' || name === '--version') return 'version'
    if (name === '-h' || name === '--help') return 'help'
    if (name === '-e' || name === '--eval' || name === '-p' || name === '--print' || name === '-pe' || name === '-ep') {
      start.from = 'eval'
      start.print ||= name.includes('p')
      start.code = value(name, attached)
    } else if (name === '-c' || name === '--check') start.check = true
    else if (name === '-r' || name === '--require') start.preload.push(value(name, attached))
    else if (name === '--import') start.imported.push(value(name, attached))
    else if (name === '-C' || name === '--conditions') start.conditions.push(value(name, attached))
    else if (name === '--env-file') start.envFiles.push(value(name, attached))
    else if (name === '--input-type') start.inputType = inputType(value(name, attached))
    else if (!readTestOption(test, name, () => value(name, attached))) {
      if (!withoutEffect.includes(arg) && !withoutEffectPrefixes.some((prefix) => arg.startsWith(prefix))) {
        const isKnown = unsupported.includes(name)
        throw isKnown
          ? new ProgramError(`option '${name}' is not supported by this shell`, 2)
          : new ProgramError(`bad option: ${arg}`, 9)
      }
    }
    const given = args.slice(first, index + 1)
    start.execArgv.push(...given)
    if (!['--test', '--test-reporter', '--test-reporter-destination'].includes(name)) test.childArgs.push(...given)
  }
  const rest = args.slice(index)
  if (test.isRunner) return { ...start, from: 'tests', args: rest }
  if (start.from === 'eval') return { ...start, args: rest }
  const [file, ...others] = rest
  if (file === undefined || file === '-') return { ...start, args: others }
  return { ...start, from: 'file', file, args: others }
}

function inputType(type: string): 'module' | 'commonjs' {
  if (type === 'module' || type === 'commonjs') return type
  throw new ProgramError('--input-type must be "module" or "commonjs"', 9)
}

/** Reads the script from the input, if there is one. */
async function withCode(io: ProgramIo, start: NodeStart): Promise<NodeStart> {
  if (start.from !== 'stdin') return start
  const decoder = new TextDecoder()
  let code = ''
  for (let chunk = await io.stdin.read(); chunk !== undefined; chunk = await io.stdin.read()) {
    io.account(chunk.length)
    code += decoder.decode(chunk, { stream: true })
  }
  return { ...start, code: code + decoder.decode() }
}
