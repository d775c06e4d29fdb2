/** Runs the solution of a task, as one recorded call where the dialect can run commands. */

import { textOf } from '../../src/dialects/tool-definitions.js'
import { shellQuoted } from '../../src/text/shell-quoted.js'
import { isToolError, recordedCall } from '../agents/recorded-call.js'
import type { Episode } from '../types.js'
import type { Folder } from './folder.js'

const directory = '/solution'

/** The folder is at `/solution` only while the script runs: it must not count as a change. */
export function solver(solution: Folder, env: Readonly<Record<string, string>>): (episode: Episode) => Promise<void> {
  const command = solutionCommand(solution, env)
  return async (episode) => {
    const tool = commandTool(episode)
    if (tool !== undefined) {
      const result = await recordedCall(episode, tool, { command })
      if (isToolError(result)) throw new Error(`the solution failed: ${textOf(result).slice(-500)}`)
      return
    }
    const { shell, root } = episode.workspace
    if (shell === undefined) throw new Error('the solution needs a shell: open the episode with emulatedShell()')
    const request = { command, cwd: root, timeoutMs: 600_000, maxStreamBytes: 1 << 20 }
    const { exitCode, stderr } = await shell.exec(request)
    if (exitCode !== 0) throw new Error(`the solution failed: ${new TextDecoder().decode(stderr.bytes).slice(-500)}`)
  }
}

/** A tool that needs nothing but a command. */
function commandTool({ dialect, workspace }: Episode): string | undefined {
  if (workspace.shell === undefined) return undefined
  const tool = dialect.tools.find(({ needs, schema }) => {
    if (needs !== 'shell') return false
    const { required, properties } = schema().input as { required?: string[]; properties?: object }
    return properties !== undefined && 'command' in properties && (required ?? []).every((key) => key === 'command')
  })
  return tool?.name
}

function solutionCommand(solution: Folder, env: Readonly<Record<string, string>>): string {
  const lines = [`mkdir -p ${directory}`]
  for (const [path, entry] of solution) {
    const target = shellQuoted(`${directory}/${path}`)
    if (entry.kind === 'directory') lines.push(`mkdir -p ${target}`)
    else if (entry.kind === 'symlink') lines.push(`ln -s ${shellQuoted(entry.target)} ${target}`)
    else {
      lines.push(`base64 -d >${target} <<'END'`, base64(entry.bytes), 'END')
      if (entry.executable) lines.push(`chmod 755 ${target}`)
    }
  }
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellQuoted(value)}`)
  return [
    ...lines,
    [...(variables.length > 0 ? ['env', ...variables] : []), 'bash', `${directory}/solve.sh`].join(' '),
    'status=$?',
    `rm -rf ${directory}`,
    'exit $status',
  ].join('\n')
}

function base64(bytes: Uint8Array): string {
  let latin1 = ''
  for (const byte of bytes) latin1 += String.fromCharCode(byte)
  return btoa(latin1).replace(/.{76}/g, '$&\n')
}
