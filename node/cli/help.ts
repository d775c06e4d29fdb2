import { dialectNames, loadDialects } from '../../src/dialects/registry.js'
import { defaultDialect } from './arguments.js'

const dialects = await loadDialects()

/** What `polyfs --help` prints. */
export const help = `polyfs: file tools for AI agents, as an MCP server

Usage: polyfs [options] ROOT...
       polyfs tools [--dialect NAME] [--json]
       polyfs doctor [--json] [ROOT...]
       polyfs history purge [--path PATH] [--yes] [ROOT]

What is served
  ROOT                 a directory the tools may read and write; without any, the agent chooses one of this machine,
                       in dialects that let it (${choosing()})
  --allow-write DIR    the same as ROOT
  --allow-read DIR     a directory the tools may only read
  --read-only          nothing can be changed, whatever else is said
  --memory             serve a tree in memory instead of directories: a sample project, unless --from says otherwise
  --from SOURCE        with --memory: start as a copy of a directory, of a .zip archive, or of a .json file that maps paths to text
  --max-memory-bytes N with --memory: what may be written to all trees together (default 1G)
  --save FILE          with --memory: at the end, write the tree as a .zip archive, which --from takes again
  --overlay            keep all changes in memory: the tools see them, the disk stays as it is
  --patch-out FILE     with --overlay: at the end, write what was changed as a patch for 'git apply'

How
  --dialect NAME       the tools' names and manners: ${dialectNames.join(', ')} (default ${defaultDialect()})
  --tools LIST         only these tools or groups of tools, as in read,search or --tools=-shell for all but some
  --structured         send counts, hashes and cursors of every result as structured content too, for clients that show
                       both channels
  --no-shell           offer no tool that runs commands; without a sandbox they are not confined to the directories, but
                       those of --memory and --overlay always are
  --sandbox MODE       confine commands to the directories, with bubblewrap: auto where this computer can, require or
                       not start at all, off (default)
  --sandbox-processes N  processes and threads of a confined command at once (default 4096; root's are not bounded)
  --sandbox-memory N   memory of each of its processes (default three quarters of the machine's)
  --sandbox-file N     size of each file it writes (default 16G)
  --allow-network      let confined commands use the network, and git clone
  --protect-config     keep editors' and agents' own configuration (.vscode, .mcp.json, ...) from being written
  --allow-git-writes   let file tools write inside .git, which is otherwise only readable
  --allow-purge        let the agent remove what the history holds of a path, for good
  --log FILE           append one line of JSON for every call, resources and prompts too: tool, paths, sizes, duration,
                       outcome; no content
  --max-file-bytes N   a larger file is not read whole (default 20000000; k, M and G can follow a number)
  --max-output-bytes N an answer is cut to this, and says so (default 128k)
  --max-message-bytes N  a longer message is refused (default 64M)
  --command-timeout S  seconds a command may take that is given no time of its own (default 120)
  -h, --help           show this
  -V, --version        show the version

Over HTTP
  --http [HOST:]PORT   serve over HTTP instead of standard input and output; 127.0.0.1 unless HOST is given
  --token-file FILE    clients must send the token in this file, which is made when it is not there; POLYFS_TOKEN does the
                       same. Off loopback there is always a token: one is made up and printed when none is given
  --allow-host NAME    another name under which clients reach the server, such as that of a proxy
  --allow-origin URL   a page that may talk to the server; none may otherwise
  --max-sessions N     clients of older protocol revisions at once, and names at the end of the address (default 32)
  --session-idle MIN   minutes after which a silent client is forgotten (default 30)

Started as other servers are: --workspace DIR and --allow-outside-workspace with clarvis, --allow-cwd with fs-context.
'polyfs tools' prints the tools of a dialect, with --json their schemas too. 'polyfs doctor' looks at this machine and says
what it finds and what that means. 'polyfs history purge' removes for good what the history holds of PATH, or of ROOT, or of
everything, with all long output: of every server, running or not. Without --yes it only lists what would go.

Without --http the server speaks MCP on standard input and output; nothing else is written there.
`

function choosing(): string {
  return Object.values(dialects)
    .filter(({ choosesWorkspace }) => choosesWorkspace)
    .map(({ name }) => name)
    .join(', ')
}
