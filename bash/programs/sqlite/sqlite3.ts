/** `sqlite3`: reads its arguments, then runs what they or the input say. Loaded with the first command. */
import type { ProgramIo } from '../../io/program.js'
import { timeZone } from '../data/time-zone.js'
import { createEngine } from './engine/engine.js'
import { heldFiles } from './engine/held-files.js'
import { seriesTable } from './engine/series.js'
import { answers } from './shell/answers.js'
import { closeAll, saveFiles } from './shell/connections.js'
import { processInput } from './shell/input.js'
import { resetOutput } from './shell/output.js'
import { standardOutput } from './shell/sink.js'
import { firstPass, type Start, startUp } from './shell/start-up.js'
import { Exit, initialLayout, type ShellState } from './shell/state.js'

const countedAtOnce = 8 << 20
const stepsPerProgress = 64

export function sqliteProgram(module: WebAssembly.Module): (io: ProgramIo) => Promise<number> {
  return async (given) => {
    const start = await firstPass(given)
    return typeof start === 'number' ? start : run(given, module, start)
  }
}

async function run(given: ProgramIo, module: WebAssembly.Module, start: Start): Promise<number> {
  const state = stateOf(given, module, start)
  let status = 0
  try {
    status = await startUp(state, start)
  } catch (error) {
    if (!(error instanceof Exit)) throw error
    status = error.status
  }
  await closeAll(state)
  const isSaved = await saveFiles(state)
  await resetOutput(state)
  return isSaved ? status : Math.max(1, status)
}

function stateOf(given: ProgramIo, module: WebAssembly.Module, start: Start): ShellState {
  const place = { cwd: given.cwd }
  const path = (name: string) => given.path(name.startsWith('/') ? name : `${place.cwd}/${name}`)
  const io: ProgramIo = {
    ...given,
    path,
    run: (argv, options) => given.run(argv, { cwd: place.cwd, ...options }),
  }
  const files = heldFiles(io)
  const engine = createEngine(module, {
    files,
    path,
    cwd: () => place.cwd,
    nowMs: () => given.now(),
    random: () => given.random(),
    zone: timeZone(given.env.get('TZ')),
    count(bytes) {
      for (let left = bytes; left > 0; left -= countedAtOnce) given.account(Math.min(left, countedAtOnce))
    },
  })
  const progress = engine.callback(1, true, () => {
    given.step(stepsPerProgress)
    return 0
  })
  const state: ShellState = {
    io,
    engine,
    files,
    progress,
    addSeries: seriesTable(engine),
    answers: answers(),
    layout: initialLayout(),
    connections: [{ handle: 0, name: start.database }],
    active: 0,
    openMode: start.isReadOnly ? 'readonly' : 'normal',
    openFlags: start.openFlags,
    get cwd() {
      return place.cwd
    },
    set cwd(directory) {
      place.cwd = directory
    },
    out: standardOutput(io),
    outName: '',
    outCount: 0,
    headerWasSet: false,
    echo: false,
    countChanges: false,
    backslash: false,
    autoExplain: true,
    usualMode: 'list',
    queryPlan: 'off',
    bail: start.bail,
    isInteractive: start.isInteractive,
    isTimed: false,
    prompts: ['sqlite> ', '   ...> '],
    line: 0,
    nesting: 0,
    savedAtMs: given.clock.elapsed(),
    script: (reader) => processInput(state, reader),
  }
  return state
}
