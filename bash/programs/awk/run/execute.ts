/** Runs a parsed program: its BEGIN rules, the rules for each record, and its END rules. */
import { analyse } from '../compile/analysis.js'
import { ask, type Code, type Frame, Leave, later, now, placed, type Went, went } from '../compile/code.js'
import { StatementCompiler } from '../compile/compile-statements.js'
import type { CompiledFunction } from '../compile/compiler.js'
import { AwkFatal, located } from '../syntax/awk-error.js'
import type { AwkProgram, Rule } from '../syntax/syntax.js'
import type { Scalar } from '../values/values.js'
import { InPlace } from './in-place.js'
import { MainInput } from './main-input.js'
import type { Runtime } from './runtime.js'
import { FunctionTable, SymbolTable } from './tables.js'

const noFrame: Frame = []

/** Compiles everything, so that errors are found before anything runs. */
export function compileProgram(program: AwkProgram, runtime: Runtime, inPlace = false): () => Promise<void> {
  const analysis = analyse(program, runtime.dialect)
  if (!runtime.dialect.traditional) {
    runtime.setGlobal('SYMTAB', new SymbolTable(runtime, program.functions))
    runtime.setGlobal('FUNCTAB', new FunctionTable(runtime, program.functions.keys()))
  }
  for (const name of analysis.globalArrays) runtime.globalArray(name)
  const input = new MainInput(runtime)
  const readMainRecord = () => input.next()
  const functions = new Map<string, CompiledFunction>()
  for (const { name, parameters, body } of program.functions.values()) {
    functions.set(name, { name, parameters, waits: analysis.waits(body), call: () => undefined })
  }
  for (const { name, parameters, body } of program.functions.values()) {
    const compiler = new StatementCompiler(runtime, analysis, functions, parameters, name, readMainRecord)
    const compiled = functions.get(name) as CompiledFunction
    compiled.call = callOf(runtime, compiler.statement(body), compiled.waits)
  }
  const compiler = new StatementCompiler(runtime, analysis, functions, [], undefined, readMainRecord)
  const rules = (kind: Rule['kind']) =>
    program.rules.filter((rule) => rule.kind === kind).map((rule) => compileRule(rule, compiler))
  const parts = {
    begin: rules('begin'),
    main: rules('main'),
    end: rules('end'),
    beginFile: rules('beginfile'),
    endFile: rules('endfile'),
  }
  return () => run(runtime, input, parts, inPlace ? new InPlace(runtime) : undefined)
}

function callOf(runtime: Runtime, body: Code<Went>, waits: boolean): CompiledFunction['call'] {
  if (body.now === undefined) {
    return async (frame): Promise<Scalar> => {
      runtime.returned = undefined
      const where = await body.later(frame)
      return where === went.return ? runtime.returned : undefined
    }
  }
  const execute = body.now
  const call = (frame: Frame): Scalar => {
    const where = execute(frame)
    return where === went.return ? runtime.returned : undefined
  }
  return waits ? async (frame) => call(frame) : call
}

function compileRule(rule: Rule, compiler: StatementCompiler): Code<Went> {
  try {
    return placed(codeOf(rule, compiler), rule.line)
  } catch (error) {
    throw located(error, rule.line)
  }
}

function codeOf({ pattern, until, action }: Rule, compiler: StatementCompiler): Code<Went> {
  const body = compiler.statement(action ?? { kind: 'print', args: [] })
  if (pattern === undefined) return body
  const test = compiler.test(pattern)
  if (until === undefined) {
    if (test.now === undefined || body.now === undefined) {
      return later(async (frame) => ((await ask(test, frame)) ? ask(body, frame) : went.on))
    }
    const [holds, execute] = [test.now, body.now]
    return now((frame) => (holds(frame) ? execute(frame) : went.on))
  }
  const stop = compiler.test(until)
  let isInside = false
  return later(async (frame) => {
    if (!isInside && !(await ask(test, frame))) return went.on
    // The record that begins a range can end it too.
    isInside = !(await ask(stop, frame))
    return ask(body, frame)
  })
}

interface Parts {
  begin: Array<Code<Went>>
  main: Array<Code<Went>>
  end: Array<Code<Went>>
  beginFile: Array<Code<Went>>
  endFile: Array<Code<Went>>
}

async function run(
  runtime: Runtime,
  input: MainInput,
  { begin, main, end, beginFile, endFile }: Parts,
  inPlace: InPlace | undefined,
): Promise<void> {
  input.useHooks({
    seesFailures: beginFile.length > 0,
    async begin() {
      inPlace?.begin()
      const where = await runRules(runtime, beginFile)
      if (where === went.exit) throw new Leave(went.exit)
      return where !== went.nextfile
    },
    async end() {
      const where = await runRules(runtime, endFile)
      await inPlace?.end()
      if (where === went.exit) throw new Leave(went.exit)
    },
  })
  const where = refused(await runRules(runtime, begin), 'BEGIN')
  if (where !== went.exit && main.length + end.length + beginFile.length + endFile.length > 0) {
    await leaving(() => runRecords(runtime, input, main))
    await inPlace?.end()
  }
  refused(await runRules(runtime, end), 'END')
}

/** From a function that was called there. */
function refused(where: Went, rule: string): Went {
  if (where !== went.next && where !== went.nextfile) return where
  const name = where === went.next ? 'next' : 'nextfile'
  throw new AwkFatal(`\`${name}' cannot be called from a \`${rule}' rule`)
}

async function runRecords(runtime: Runtime, input: MainInput, rules: Array<Code<Went>>): Promise<Went> {
  const { record } = runtime
  const immediate = rules.flatMap((rule) => (rule.now === undefined ? [] : [rule.now]))
  const isImmediate = immediate.length === rules.length
  for (;;) {
    const text = input.ready() ?? (await input.next())
    if (text === undefined) return went.on
    runtime.step()
    record.set(text)
    const where = isImmediate ? runNow(immediate) : await runRules(runtime, rules)
    if (runtime.pending !== undefined) await runtime.drain()
    if (where === went.exit) return where
    if (where === went.nextfile) await input.skipFile()
  }
}

function runNow(rules: ReadonlyArray<(frame: Frame) => Went>): Went {
  try {
    for (const rule of rules) {
      const where = rule(noFrame)
      if (where !== went.on) return where
    }
    return went.on
  } catch (error) {
    if (error instanceof Leave) return error.to
    throw error
  }
}

async function runRules(runtime: Runtime, rules: ReadonlyArray<Code<Went>>): Promise<Went> {
  return leaving(async () => {
    for (const rule of rules) {
      const where = rule.now === undefined ? await rule.later(noFrame) : rule.now(noFrame)
      if (runtime.pending !== undefined) await runtime.drain()
      if (where !== went.on) return where
    }
    return went.on
  })
}

async function leaving(run: () => Promise<Went>): Promise<Went> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Leave) return error.to
    throw error
  }
}

/** What the platform says when functions call each other too deeply or text becomes too long. */
export function asFatal(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error
  return new AwkFatal(
    /call stack/.test(error.message)
      ? 'functions call each other too deeply for this shell'
      : 'a value is too long for this shell',
  )
}
