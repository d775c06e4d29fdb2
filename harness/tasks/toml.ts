/** TOML with the lines of its keys, so that complaints can name them. */
import { parse, TomlError } from 'smol-toml'
import { TaskError, type TaskProblem } from './task-error.js'
import { tomlKeyLines } from './toml-key-lines.js'

export type TomlPath = readonly (string | number)[]

export interface TomlFile {
  readonly file: string
  readonly root: Readonly<Record<string, unknown>>
  /** A problem at a key, or at the nearest key above it whose line is known. */
  problem(at: TomlPath, message: string, remedy?: string): TaskProblem
}

/** Fails with a `TaskError` that names the line. */
export function parseToml(file: string, text: string): TomlFile {
  const root = parsed(file, text)
  const lines = tomlKeyLines(text)
  return {
    file,
    root,
    problem(at, message, remedy) {
      const line = lineOf(lines, at)
      return { file, ...(line !== undefined && { line }), message, ...(remedy !== undefined && { remedy }) }
    },
  }
}

export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return !('toISOString' in value)
}

function parsed(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text, { maxDepth: 100, unsafeKeyBehaviour: 'throw' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Its message continues with the lines around the fault.
    const [message = ''] = error.message.split('\n', 1)
    const remedy = `Column ${error.column} is where it stops being TOML.`
    throw new TaskError([{ file, line: error.line, message, remedy }])
  }
}

function lineOf(lines: ReadonlyMap<string, number>, at: TomlPath): number | undefined {
  for (let length = at.length; length > 0; length -= 1) {
    const line = lines.get(JSON.stringify(at.slice(0, length)))
    if (line !== undefined) return line
  }
  return undefined
}
