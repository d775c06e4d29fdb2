import { dialectNames, loadDialects } from '../../src/dialects/registry.js'
import { defaultDialect } from './arguments.js'

const dialects = await loadDialects()

/** What `polyfs --help` prints. */
export const help = `polyfs: file tools for AI agents, as an MCP server

Usage: polyfs [options] ROOT...
       polyfs ui [options] [ROOT...]
       polyfs init [CLIENT...] [--dry-run] [--remove] [--yes]
       polyfs tools [--dialect NAME] [--json]
       polyfs doctor [--json] [ROOT...]
       polyfs history purge [--path PATH] [--yes] [ROOT]
       polyfs sqlite FILE list|diff A B|gc|fork FROM NAME|snapshot FROM NAME|restore NAME SNAPSHOT|drop NAME
       polyfs eval run|check|rescore|replay|report|worker|serve ...

What is served
  ROOT                 a directory the tools may read and write; without one, the agent chooses a directory of this machine,
                       in dialects that allow it (${choosing()})
  --allow-write DIR    the same as ROOT
  --allow-read DIR     a directory the tools may only read
  --read-only          refuse all writes, overriding other flags
  --memory             serve a tree in memory instead of directories: a sample project, unless --from is given
  --from SOURCE        with --memory, or an empty workspace of --sqlite or --store: start with a copy of a directory, a .zip
                       archive, or a .json file that maps paths to text
  --max-memory-bytes N with --memory: limit of what is written to all trees together (default 1G)
  --save FILE          with --memory: at exit, write the tree as a .zip archive, which --from can read
  --sqlite FILE        serve a workspace in a SQLite database, with its history (Node 22.13 or newer, or better-sqlite3)
  --store URL          serve workspaces in a key-value store, with their histories: redis://HOST:PORT, s3://BUCKET/PREFIX,
                       memory: or a directory; with --http each at /mcp/NAME (needs the package unstorage)
  --workspace NAME     with --sqlite or --store: which workspace (default main), made if none has this name
  --export FILE        with --sqlite or --store: write the workspace as a .zip archive, and end
  --overlay            keep all changes in memory: the tools see them, the disk is not modified
  --patch-out FILE     with --overlay: at exit, write the changes as a patch for 'git apply'

How
  --dialect NAME       tool names and formats: ${dialectNames.join(', ')} (default ${defaultDialect()})
  --tools LIST         serve only these tools or groups, as in read,search; --tools=-shell serves all but a group,
                       and --tools=+git adds one that is not listed beside a shell
  --structured         also send counts, hashes and cursors of every result as structured content
  --no-shell           offer no tool that runs commands; without a sandbox, commands are not confined to the directories,
                       except those of --memory and --overlay
  --sandbox MODE       confine commands to the directories with bubblewrap: auto (where available), require (or refuse to
                       start), off (default); with --memory, --overlay, --sqlite and --store, it runs the machine's programs
                       on them, where otherwise commands are emulated
  --sandbox-processes N  processes and threads of a confined command (default 4096; not limited for root)
  --sandbox-memory N   memory of each process of a confined command (default three quarters of the machine's)
  --sandbox-file N     size of each file that a confined command writes (default 16G)
  --allow-network      allow network access to confined commands and to git clone
  --network RULE       what curl, wget, npm and git clone of the emulated shell (--memory, --overlay and the like) may reach, as in
                       'https://example.com' or 'GET,POST https://example.com/api/', or a .json file with rules and secrets;
                       may be repeated (default: nothing)
  --deny PATTERN       neither read nor change what matches: '.env*', 'config/prod.env', 'secrets'. read:PATTERN and change:PATTERN are
                       about one of both
  --ask PATTERN        change what matches only after a yes on the page (--ui, or polyfs ui); without a page it is refused
  --allow PATTERN      change what matches without a question, also if an earlier --ask matches it
  --protect-config     refuse writes to the configuration of editors and agents (.vscode, .mcp.json, ...)
  --allow-git-writes   allow file tools to write inside .git, which is otherwise read-only
  --allow-purge        allow the agent to remove a path from the history permanently
  --forks              add the tool fork: the agent works in forks of the workspace, and merges or discards them
  --log FILE           append one line of JSON for every call, resources and prompts included: tool, paths, sizes, duration,
                       outcome; no content
  --max-file-bytes N   do not read larger files whole (default 20000000; k, M and G may follow a number)
  --max-output-bytes N truncate longer results, with a note (default 128k)
  --max-message-bytes N  refuse longer messages (default 64M)
  --command-timeout S  default timeout of a command in seconds (default 120)
  -h, --help           show this
  -V, --version        show the version

Over HTTP
  --http [HOST:]PORT   serve over HTTP instead of standard input and output; HOST defaults to 127.0.0.1
  --or-any-port        use any free port when PORT is taken, and say so
  --token-file FILE    require the bearer token in this file, which is created if missing; POLYFS_TOKEN sets a token directly.
                       Off loopback a token is always required: one is generated and printed if none is given
  --allow-host NAME    another host name under which clients reach the server, such as a proxy's
  --allow-origin URL   a web page's origin that may use the server; none by default
  --max-sessions N     concurrent sessions, and names at the end of the address (default 32)
  --session-idle MIN   minutes after which an idle session ends (default 30)

A page on the directories
  --ui                 also serve a page that shows the files, their history and what every client does. Beside standard input and
                       output it has a free port, and is opened in a browser; with --http it has the same address
  --no-open, --open    do not open the browser, or open it with --http and 'polyfs ui' too
  --shell              the page has a terminal on this computer's shell
  --ask                clients on the same directories ask before they change something or run a command: the call waits for a click on the page
  --ask-timeout S      seconds after which such a call to this server is refused (default 50)

Flags of other servers: --workspace DIR and --allow-outside-workspace with clarvis, --allow-cwd with fs-context, --mcp-server,
--sandbox without a MODE, --sandbox-profile FILE, --deny-network and -v with replay.
'polyfs ui' serves ROOT, or the current directory, over HTTP on a free port, and prints the address of its page.
'polyfs init' enters this server into the configuration of MCP clients, or removes it; 'polyfs init --help' shows how.
'polyfs tools' prints the tools of a dialect; with --json, their schemas too. 'polyfs doctor' checks this machine and explains
what it finds. 'polyfs history purge' permanently removes from the history what it stores of PATH, of ROOT, or of everything,
with all stored command output, for every server, running or not. Without --yes it only lists what would be removed.
'polyfs eval' runs agents on suites of tasks and counts; 'polyfs eval --help' shows how.

Without --http the server speaks MCP on standard input and output; nothing else is written there.
`

function choosing(): string {
  return Object.values(dialects)
    .filter(({ choosesWorkspace }) => choosesWorkspace)
    .map(({ name }) => name)
    .join(', ')
}
