/** Tasks and agents on disk, and `polyfs eval` in this process. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { evaluate } from '../../../node/eval/eval.js'
import { built } from '../cli/built.js'
import { temporaryDirectory } from '../cli/run-cli.js'

export interface TaskFiles {
  [path: string]: string
}

/** A task that is solved by writing `yes` to `answer.txt`. */
export const sayYes: TaskFiles = {
  'task.toml': '[metadata]\n',
  'instruction.md': 'Write yes to answer.txt.\n',
  'environment/answer.txt': 'no\n',
  'tests/checks.toml': '[[check]]\nfile = "answer.txt"\nequals = "yes\\n"\n',
  'solution/solve.sh': 'echo yes > answer.txt\n',
}

/** Calls that solve it. */
export const solution = [{ tool: 'write_file', args: { path: 'answer.txt', content: 'yes\n' } }]

export async function writeSuite(tasks: Record<string, TaskFiles>): Promise<string> {
  const directory = await temporaryDirectory()
  for (const [id, files] of Object.entries(tasks)) {
    await mkdir(join(directory, id))
    await writeFiles(join(directory, id), files)
  }
  return directory
}

export async function writeFiles(directory: string, files: TaskFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true })
    await writeFile(join(directory, path), text)
  }
}

export interface Evaluated {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command in this process. */
export async function runEval(...argv: string[]): Promise<Evaluated> {
  let stdout = ''
  let stderr = ''
  const code = await evaluate(argv, {
    commandWorker: built('node/emulated-worker.js'),
    episodeWorker: built('node/episode-worker.js'),
    write: (text) => {
      stdout += text
    },
    warn: (line) => {
      stderr += `polyfs: ${line}\n`
    },
    show: (text) => {
      stderr += text
    },
  })
  return { code, stdout, stderr }
}
