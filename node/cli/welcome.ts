import path from 'node:path'
import { version } from '../../src/version.js'

/** What `polyfs` prints to a person who starts it in a terminal without arguments. */
export function welcome(command: string): string {
  const next = [
    ['init', 'add it to the MCP clients of this machine; shows each change and asks'],
    ['--memory --http 7373', 'try it: a sample project in memory, and a page that calls every tool'],
    ['--overlay --http 7373 .', 'serve this folder; changes stay in memory'],
  ] as const
  const width = Math.max(...next.map(([args]) => args.length))
  return `polyfs ${version}: file tools for AI agents, as an MCP server.
Reading, editing, search, git, commands and undo, in the folders that you name.
A program such as Claude, Cursor or VS Code starts it; there is nothing to type here.

${next.map(([args, what]) => `  ${command} ${args.padEnd(width)}  ${what}\n`).join('')}
'${command} --help' shows all options, '${command} doctor' what works on this machine.
`
}

/** How the command was started, so that a line can be copied. */
export function startedWith(script: string, env: Readonly<Record<string, string | undefined>>): string {
  if (env.npm_command === 'exec') return 'npx polyfs'
  return path.basename(script) === 'cli.js' ? `node ${path.relative(process.cwd(), script)}` : 'polyfs'
}
