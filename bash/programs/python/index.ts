/** The programs of this folder. They need an engine that the platform has, so the thread that runs commands makes them. */
import type { Program } from '../../io/program.js'
import { rawProgram } from '../define-program.js'
import type { PythonThreads } from './host/python-threads.js'

/** Programs that are a module, which Python has to find. */
const moduleOf: { readonly [name: string]: string } = { pytest: 'pytest', 'py.test': 'pytest', pip: 'pip', pip3: 'pip' }
const names = ['python3', 'python', 'python3.14', ...Object.keys(moduleOf)]

/** The rest is for what the shell holds, so that Python's own error comes first. */
const ofCommand = 0.75

/** What runs them is loaded with the first. `maxMemoryBytes`: of a command. */
export function pythonPrograms(
  threads: () => Promise<PythonThreads>,
  maxMemoryBytes: number,
): ReadonlyMap<string, Program> {
  let run: Promise<Program['run']> | undefined

  async function load(): Promise<Program['run']> {
    const { pythonProgram } = await import('./python.js')
    return pythonProgram(await threads(), Math.floor(maxMemoryBytes * ofCommand))
  }

  const program = rawProgram({
    name: 'python3',
    aliases: names.slice(1),
    async run(io) {
      run ??= load()
      const runLoaded = await io.clock.outside(run)
      const module = moduleOf[io.name]
      return runLoaded(module === undefined ? io : { ...io, args: ['-m', module, ...io.args] })
    },
  })
  return new Map(names.map((name) => [name, { ...program, name, group: 'system' }]))
}
