/** The state of one shell or subshell. */
import type { Bytes } from '../../../../src/fs/types.js'
import { decodeText, encodeText } from '../../../io/byte-text.js'
import type { CommandClock } from '../../../io/command-clock.js'
import type { ShellFiles } from '../../../io/program.js'
import { shownPath } from '../../../io/scratch-names.js'
import { shellFiles } from '../../../io/shell-files.js'
import { BrokenPipe } from '../../../io/streams.js'
import { type SystemFiles, systemFiles } from '../../../io/system-files.js'
import type { ProgramTable } from '../../../programs/program-table.js'
import type { ScriptRun } from '../../host.js'
import type { ArrayLiteral, Assignment, Command, FunctionDefinition, Statement } from '../../syntax/ast.js'
import { printFunction } from '../print-command.js'
import type { Descriptors, OpenFile } from './descriptors.js'
import type { Found } from './found.js'
import { KilledJump } from './jumps.js'
import { Options } from './options.js'
import { drive, type Steps } from './steps.js'
import { sizeOf, sizeOfAll, type Variable, Variables } from './variables.js'

/** What is common to a script and all its subshells. */
export interface Session {
  readonly run: ScriptRun
  readonly clock: CommandClock
  readonly programs: ProgramTable
  readonly engine: Engine
  readonly arithmetic: Arithmetic
  readonly startMs: number
  nextPid: number
  /** Jobs in the background, everywhere in the script, that have not ended. */
  readonly background: Set<Promise<unknown>>
  hinted: boolean
  /** How many commands run beside each other. */
  concurrent: number
  /** What ended something that ran beside, and has to end everything. */
  failure?: { error: unknown }
  /** Counts what was started in the background. */
  spawns: number
  turns: number
  /** Set by an assignment to `RANDOM`. */
  seed?: number
}

/** Arithmetic on the variables of a shell. */
export interface Arithmetic {
  calculate(shell: Shell, text: string): number | bigint
  /** The value of an integer variable. */
  integer(shell: Shell, text: string): number | bigint
  /** The index of an array. */
  index(shell: Shell, text: string): number
  /** The subscript of a name in a text, expanded. */
  subscript(shell: Shell, text: string, isKey: boolean): string
}

/** What a signal did to a job and all its subshells. */
export interface Fate {
  killed?: number
  /** Of a program that runs a command: throws when the command has to end. */
  check?(): void
  outer?: Fate
}

/** `skipFunctions` as `command` does, `isExternal` as `exec` does, `standardPath` as `command -p` does. */
export interface RunHow {
  skipFunctions?: boolean
  isExternal?: boolean
  standardPath?: boolean
}

/** What expansions and builtins ask the interpreter to do. */
export interface Engine {
  runStatements(shell: Shell, statements: readonly Statement[]): Steps<number>
  runCommand(shell: Shell, command: Command): Steps<number>
  /** The commands of a substitution, with the aliases of the shell. */
  commandsOf(shell: Shell, substitution: { body: Statement[]; source: string }): readonly Statement[]
  /** Parses and runs text in this shell, as `eval` does, or that of a file. */
  runText(shell: Shell, text: string, file?: string): Steps<number>
  /** The elements of `(…)` in a text. */
  arrayLiteralOf(text: string): ArrayLiteral
  /** The output of `$(…)`. */
  capture(shell: Shell, body: readonly Statement[]): Steps<Bytes>
  /** Starts `<(…)` or `>(…)` and returns the path of its descriptor. */
  startProcess(shell: Shell, direction: '<' | '>', body: readonly Statement[]): string
  /** Runs a command by its words. */
  runWords(
    shell: Shell,
    words: readonly string[],
    how?: RunHow,
    arrays?: ReadonlyMap<number, Assignment>,
  ): Steps<number>
}

export interface ShellFunction {
  definition: FunctionDefinition
  /** The file it was defined in. */
  source: string
  exported?: boolean
  readonly?: boolean
}

/** A function or sourced file that runs. */
export interface Frame {
  name: string
  source: string
  /** Where it was called. */
  line: number
  kind: 'function' | 'source'
  below: Frame | undefined
  depth: number
}

export interface Job {
  number: number
  pid: number
  text: string
  /** Undefined while it runs. */
  status: number | undefined
  ended: Promise<number>
  kill(signal: number): void
  /** Of a coprocess: closes its pipes and removes its variables. */
  forget?(): void
  /** `wait` or `jobs` has reported its end. */
  reported: boolean
}

/** Values below this are counted as if they were the shell's own. */
const largeBytes = 4096

export class Shell {
  variables = new Variables()
  functions = new Map<string, ShellFunction>()
  #functionsShared = false
  aliases = new Map<string, string>()
  options = new Options()
  positional: readonly string[] = []
  /** `$0` */
  name = 'bash'
  /** What `BASH_SOURCE` and messages call the main script. */
  mainSource = 'environment'
  /** Called as `sh`, which is not bash: its `echo` and its messages differ. */
  isPlainSh = false
  /** `-c` or standard input: `c` and `s` in `$-`. */
  invocation = 'c'
  /** Where relative paths start: a path of the tree. */
  cwd = '/'
  umask = 0o022
  status = 0
  pipeStatus: readonly number[] = []
  /** The commands of the last pipeline with several, and their statuses. */
  lastPipeline: { commands: readonly Command[]; statuses: readonly number[] } | undefined
  lastArgument = ''
  lastBackground: number | undefined
  line = 1
  /** What `LINENO` is in the trap of `ERR`: the line of the last command that counts for it. */
  errorLine = 1
  /** For `BASH_COMMAND`: a command, or the head of a loop. */
  command: Command | string | undefined
  /** The compound command whose redirections have failed. */
  unopened: Command | undefined
  frame: Frame | undefined
  traps = new Map<string, string>()
  /** The traps of the shell above, which `trap` lists until one is set. */
  shownTraps: ReadonlyMap<string, string> | undefined
  jobs: Job[] = []
  /** The statuses of jobs that `wait` has reported already, by their process. */
  endedJobs = new Map<number, number>()
  /** Builtins that `enable -n` has turned off. */
  disabled: ReadonlySet<string> = new Set()
  directories: string[] = []
  /** Where commands were found, as long as `PATH` is the same. */
  hashed = new Map<string, { found: Exclude<Found, { kind: 'failure' }>; hits: number }>()
  hashedPath: string | undefined
  /** The value of `GLOBIGNORE` when names were last expanded. */
  globIgnore: string | undefined
  /** Whether that value was set here. */
  ignoresNames = false
  /** Above 0, a failure does not end the shell in spite of `set -e`: conditions, `&&`, `||`, `!`. */
  ignoring = 0
  loops = 0
  /** How deep `eval`, `source` and traps are nested. */
  texts = 0
  /** `$BASH_SUBSHELL` */
  level = 0
  pid: number
  fate: Fate = {}
  /** How many shells have started this one. */
  nesting = 0
  parentPid = 1
  /** What this shell has counted in the account, to be given back when it ends. */
  accounted = 0
  /** Signals to handle by a trap before the next command. */
  pendingTraps: string[] = []
  /** How deep traps run: a trap does not start another one of its kind. */
  inTrap = new Set<string>()
  /** Where `getopts` is, also inside of a word of grouped options, and `OPTIND` as it left it. */
  getopts: { index: number; letter: number; variable?: Variable | undefined } = { index: 1, letter: 0 }
  /** `$SECONDS` counts from here. */
  secondsStart: number
  /** The status of the last command substitution: that of a command without a name. */
  substitutionStatus: number | undefined
  /** Process substitutions of the running command, with the descriptors to close after it. */
  processes: Array<{ descriptor: number; ended: Promise<unknown> }> = []
  /** Characters that `set -x` puts before the traced line, per level of `eval` and substitution. */
  traceDepth = 1
  #files: ShellFiles | undefined
  #filesKey = ''
  /** What is counted for the positional parameters. Nothing for those of the shell above. */
  #positionalBytes = 0
  /** Variables with a large value that a subshell has set itself. */
  #largeNames: Set<string> | undefined

  constructor(
    readonly session: Session,
    public descriptors: Descriptors,
    /** `$$` */
    readonly mainPid: number,
  ) {
    this.pid = mainPid
    this.secondsStart = session.run.now()
  }

  /** The value of an alias, where they are expanded. */
  alias(name: string): string | undefined {
    return this.aliases.size > 0 && this.options.has('expand_aliases') ? this.aliases.get(name) : undefined
  }

  get run(): ScriptRun {
    return this.session.run
  }

  get engine(): Engine {
    return this.session.engine
  }

  get arithmetic(): Arithmetic {
    return this.session.arithmetic
  }

  /** The exported variables and functions, as programs see them. */
  environment(): ReadonlyMap<string, string> {
    const exported = [...this.functions].filter(([, found]) => found.exported)
    const options = this.variables.get('SHELLOPTS')?.exported ? this.options.names('set').join(':') : undefined
    if (options !== undefined) return new Map([...this.variables.environment(), ['SHELLOPTS', options]])
    if (exported.length === 0) return this.variables.environment()
    const texts = exported.map(([name, { definition }]) => {
      const text = printFunction(name, definition.body, definition.redirections)
      return [`BASH_FUNC_${name}%%`, text.slice(name.length + 1).trimEnd()] as const
    })
    return new Map([...this.variables.environment(), ...texts])
  }

  /** Counts the growth of variables. What others have counted can't be given back. */
  account(given: number): void {
    const bytes = Math.max(given, -this.accounted)
    if (bytes === 0) return
    this.accounted += bytes
    this.run.account(bytes)
  }

  /** Counts a value that takes the place of another one. A large one of the shell above stays in memory, as that shell still has it. */
  accountFor(name: string, before: number, after: number): void {
    const isLarge = this.level > 0 && Math.max(before, after) >= largeBytes
    const isInherited = isLarge && this.#largeNames?.has(name) !== true
    if (isInherited) (this.#largeNames ??= new Set()).add(name)
    this.account(isInherited ? after : after - before)
  }

  /** Leaves a scope of variables, and gives back what was counted for them. */
  popScope(): void {
    let bytes = 0
    for (const variable of this.variables.top.table.values()) bytes += sizeOf(variable)
    this.account(-bytes)
    this.variables.pop()
  }

  /** Replaces the positional parameters. */
  setPositional(values: readonly string[]): void {
    const bytes = sizeOfAll(values)
    this.account(bytes - this.#positionalBytes)
    this.positional = values
    this.#positionalBytes = bytes
  }

  /** Sets positional parameters for a while. Returns a function that brings back those before. */
  hidePositional(values: readonly string[]): () => void {
    const before = { values: this.positional, bytes: this.#positionalBytes }
    this.#positionalBytes = 0
    this.setPositional(values)
    return () => {
      this.account(-this.#positionalBytes)
      this.positional = before.values
      this.#positionalBytes = before.bytes
    }
  }

  /** Closes what is open and gives back what was counted. */
  end(): void {
    this.descriptors.closeAll()
    if (this.accounted !== 0) this.run.account(-this.accounted)
    this.accounted = 0
  }

  /** A subshell: a copy of everything. */
  fork(): Shell {
    const child = new Shell(this.session, this.descriptors.fork(), this.mainPid)
    child.variables = this.variables.fork()
    child.functions = this.functions
    child.#functionsShared = true
    this.#functionsShared = true
    child.aliases = this.aliases.size > 0 ? new Map(this.aliases) : child.aliases
    child.options = this.options.copy()
    child.positional = this.positional
    child.name = this.name
    child.mainSource = this.mainSource
    child.invocation = this.invocation
    child.isPlainSh = this.isPlainSh
    child.cwd = this.cwd
    child.umask = this.umask
    child.status = this.status
    child.pipeStatus = this.pipeStatus
    child.lastArgument = this.lastArgument
    child.lastBackground = this.lastBackground
    child.line = this.line
    child.errorLine = this.errorLine
    child.command = this.command
    child.frame = this.frame
    if (this.traps.size > 0) child.shownTraps = this.traps
    for (const [signal, command] of this.traps) {
      const kept = command === '' || (signal === 'ERR' && this.options.has('errtrace'))
      const keptByTracing = (signal === 'DEBUG' || signal === 'RETURN') && this.options.has('functrace')
      if (kept || keptByTracing) child.traps.set(signal, command)
    }
    child.directories = [...this.directories]
    child.disabled = this.disabled
    if (this.hashed.size > 0) child.hashed = new Map(this.hashed)
    child.hashedPath = this.hashedPath
    child.globIgnore = this.globIgnore
    child.ignoresNames = this.ignoresNames
    child.ignoring = this.ignoring
    child.loops = this.loops
    child.texts = this.texts
    child.level = this.level + 1
    child.session.nextPid += 1
    child.pid = child.session.nextPid
    child.getopts = { ...this.getopts }
    child.secondsStart = this.secondsStart
    child.traceDepth = this.traceDepth
    child.fate = this.fate
    child.nesting = this.nesting
    child.parentPid = this.parentPid
    child.jobs = this.jobs.filter(({ status }) => status === undefined)
    return child
  }

  setFunction(name: string, value: ShellFunction | undefined): void {
    if (this.#functionsShared) this.functions = new Map(this.functions)
    this.#functionsShared = false
    if (value === undefined) this.functions.delete(name)
    else this.functions.set(name, value)
  }

  /** The working directory as scripts see it. */
  get directory(): string {
    return shownPath(this.cwd, this.run.scratch)
  }

  /** The files as programs see them from here. */
  get files(): ShellFiles {
    const key = `${this.umask} ${this.cwd}`
    if (this.#files === undefined || this.#filesKey !== key) {
      this.#filesKey = key
      this.#files = shellFiles(this.run.tree, {
        cwd: this.cwd,
        umask: this.umask,
        system: this.#system(),
        reader: (descriptor) => this.descriptors.get(descriptor)?.reader,
        writer: (descriptor) => this.descriptors.get(descriptor)?.writer,
        random: () => this.run.random(),
        scratch: this.run.scratch,
      })
    }
    return this.#files
  }

  #system(): SystemFiles {
    const { programs } = this.session
    return systemFiles({
      programs: () => Array.from(programs, ([name]) => name),
      isProgram: (name) => programs.get(name) !== undefined,
      home: () => this.run.env.HOME ?? '/nonexistent',
    })
  }

  /** Called at every statement and every turn of a loop. */
  step(): void {
    if (this.run.statement !== undefined) this.run.statement()
    else this.run.step()
    this.#checkEnd()
  }

  /** Called in work that is part of a statement. */
  work(): void {
    this.run.step()
    this.#checkEnd()
  }

  #checkEnd(): void {
    if (this.session.failure !== undefined) throw this.session.failure.error
    this.checkFate()
  }

  /** Throws when the job was killed. */
  checkFate(): void {
    for (let fate: Fate | undefined = this.fate; fate; fate = fate.outer) {
      if (fate.killed !== undefined) throw new KilledJump(fate.killed)
      fate.check?.()
    }
  }

  /** Writes to a descriptor. */
  *write(descriptor: number, data: string | Bytes): Steps<void> {
    const writer = this.descriptors.get(descriptor)?.writer
    if (writer === undefined) throw new ClosedDescriptor()
    const waiting = writer.write(typeof data === 'string' ? encodeText(data) : data)
    if (waiting !== undefined) yield waiting
  }

  /** `bash: line 3: message` */
  *report(message: string): Steps<void> {
    yield* this.complain(`${this.prefix()}: ${message}\n`)
  }

  /** As `report`, where nothing can wait. */
  warn(message: string): void {
    const waiting = drive(this.report(message))
    if (waiting instanceof Promise) waiting.catch(() => {})
  }

  prefix(line = this.line): string {
    if (this.isPlainSh) return `${this.name}: ${line}`
    return `${this.sourceName()}: line ${line}`
  }

  /** The file that the running command comes from. */
  sourceName(): string {
    return this.frame?.source ?? this.name
  }

  /** Writes to standard error; if nobody can read it, it is dropped. */
  *complain(text: string): Steps<void> {
    try {
      yield* this.write(2, text)
    } catch (error) {
      if (!(error instanceof ClosedDescriptor) && !(error instanceof BrokenPipe)) throw error
    }
  }

  /** The descriptor's open file, or an empty one. */
  input(descriptor = 0): OpenFile | undefined {
    return this.descriptors.get(descriptor)
  }

  text(bytes: Bytes): string {
    return decodeText(bytes)
  }
}

/** A write to a descriptor that is closed or only open for reading. */
export class ClosedDescriptor {
  readonly message = 'Bad file descriptor'
}
