/** The MCP clients that `polyfs init` knows: where each has its configuration, and the form of an entry there. */
import { posix, win32 } from 'node:path'

/** What the place of a configuration depends on. */
export interface Machine {
  platform: 'darwin' | 'linux' | 'win32'
  home: string
  env: Readonly<Record<string, string | undefined>>
}

/** The command line that a client starts the server with. */
export interface ServerCommand {
  command: string
  args: readonly string[]
}

export interface Client {
  /** As given on the command line. */
  name: string
  title: string
  format: 'json' | 'toml'
  /** The key that holds the servers by name. */
  key: string
  /** The configuration file that applies to the user's whole account. */
  file(machine: Machine): string
  entry(server: ServerCommand): Record<string, unknown>
}

const plain = ({ command, args }: ServerCommand) => ({ command, args: [...args] })
const typed = (server: ServerCommand) => ({ type: 'stdio', ...plain(server) })

/** Places are those that each program documents for its stable release. */
export const clients: readonly Client[] = [
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
    file: (machine) => inApplicationData(machine, 'Claude', 'claude_desktop_config.json'),
    entry: plain,
  },
  {
    name: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    key: 'mcpServers',
    file: (machine) => at(machine, machine.env.CLAUDE_CONFIG_DIR || machine.home, '.claude.json'),
    entry: typed,
  },
  {
    name: 'cursor',
    title: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    file: (machine) => at(machine, machine.home, '.cursor', 'mcp.json'),
    entry: plain,
  },
  {
    name: 'vscode',
    title: 'VS Code',
    format: 'json',
    key: 'servers',
    file: (machine) => inApplicationData(machine, 'Code', 'User', 'mcp.json'),
    entry: typed,
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    format: 'json',
    key: 'mcpServers',
    file: (machine) => at(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json'),
    entry: plain,
  },
  {
    name: 'zed',
    title: 'Zed',
    format: 'json',
    key: 'context_servers',
    // On macOS too Zed reads its settings in .config.
    file: (machine) =>
      machine.platform === 'win32'
        ? inApplicationData(machine, 'Zed', 'settings.json')
        : at(machine, configHome(machine), 'zed', 'settings.json'),
    entry: (server) => ({ source: 'custom', ...plain(server), env: {} }),
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    format: 'json',
    key: 'mcpServers',
    file: (machine) => at(machine, machine.home, '.gemini', 'settings.json'),
    entry: plain,
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    file: (machine) => at(machine, machine.env.CODEX_HOME || at(machine, machine.home, '.codex'), 'config.toml'),
    entry: plain,
  },
]

/** Where desktop programs store settings. */
function inApplicationData(machine: Machine, ...parts: string[]): string {
  const { platform, home, env } = machine
  if (platform === 'win32') return at(machine, env.APPDATA || at(machine, home, 'AppData', 'Roaming'), ...parts)
  if (platform === 'darwin') return at(machine, home, 'Library', 'Application Support', ...parts)
  return at(machine, configHome(machine), ...parts)
}

function configHome(machine: Machine): string {
  const { platform, home, env } = machine
  return (platform === 'linux' && env.XDG_CONFIG_HOME) || at(machine, home, '.config')
}

function at({ platform }: Machine, ...parts: string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts)
}
