/** Configuration to paste into MCP clients. */

export interface StartedAs {
  command: string
  args: readonly string[]
}

/** For clients that start the server themselves. */
export function configurations({ command, args }: StartedAs): string {
  const entry = { command, args }
  return `Claude Desktop (claude_desktop_config.json), Cursor (.cursor/mcp.json):

${json({ mcpServers: { files: entry } })}

VS Code (.vscode/mcp.json):

${json({ servers: { files: entry } })}

Claude Code:

  claude mcp add files -- ${[command, ...args].map(shellWord).join(' ')}
`
}

/** For clients that connect over HTTP. */
export function httpConfiguration(url: string, token?: string): string {
  const headers = token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }
  return json({ mcpServers: { files: { type: 'http', url, ...headers } } })
}

/** Printed when a person starts the server in a terminal, where no client will ever connect. */
export function terminalHint(started: StartedAs): string {
  return `polyfs is an MCP server: a program such as Claude or an editor starts it and talks to it on standard input and output.
No such program is connected here. Add one of these to its configuration instead:

${configurations(started)}
'polyfs --help' shows the options, --http serves over HTTP. Waiting for messages; stop with Ctrl-C.
`
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** One word of a POSIX shell. */
function shellWord(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
