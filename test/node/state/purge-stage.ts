import { execFile } from 'node:child_process'
import type { CliCommand, Finished } from '../cli/run-cli.js'

export { cliCommand } from '../cli/run-cli.js'

/** Runs the command to its end, without input. */
export function runCommandLine({ command, args, env }: CliCommand): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(command, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}
