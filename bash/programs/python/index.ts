/** The programs of this folder. They need an engine that the platform has, so the thread that runs commands makes them. */
import type { Program } from '../../io/program.js'
import { rawProgram } from '../define-program.js'
import type { PythonPlatform } from './host/python-threads.js'

/** Programs that are a module, which Python has to find. */
const moduleOf: { readonly [name: string]: string } = { pytest: 'pytest', 'py.test': 'pytest', pip: 'pip', pip3: 'pip' }
const names = ['python3', 'python', 'python3.14', ...Object.keys(moduleOf)]

/** What runs them is loaded with the first. */
export function pythonPrograms(platform: () => Promise<PythonPlatform>): ReadonlyMap<string, Program> {
  let run: Promise<Program['run']> | undefined

  async function load(): Promise<Program['run']> {
    const { pythonProgram } = await import('./python.js')
    return pythonProgram(await platform())
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
