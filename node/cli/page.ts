/** The page of `polyfs ui` and `--ui`, as the command starts it. */
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { version } from '../../src/version.js'
import type { PageFiles } from '../serve/page-files.js'
import type { PageWatch } from '../serve/page-watch.js'
import type { ServedPage, WatchedMember } from '../ui/ui.js'
import type { ServedWorkspace } from '../workspace/open-workspace.js'
import type { ServeArguments } from './arguments.js'
import { httpConfiguration } from './client-config.js'

/** A directory after a build, an archive in the package. */
export async function playgroundPage(): Promise<PageFiles | undefined> {
  const { packedPageFiles, pageFiles, withFiles } = await import('../serve/page-files.js')
  const place = fileURLToPath(new URL('../playground', import.meta.url))
  const page = pageFiles(place) ?? packedPageFiles(`${place}.zip.br`)
  return page && withFiles(page, engineOf)
}

/** What the page's terminal needs of optional packages is sent from there. */
async function engineOf(path: string): Promise<Uint8Array | undefined> {
  if (path === sqliteEngine) return (await import('../shell/sqlite-module.js')).sqliteFile()
  if (!path.startsWith(pythonFolder)) return undefined
  const { engineFile } = await import('../shell/python-platform.js')
  return engineFile(path.slice(pythonFolder.length))
}

const pythonFolder = '/python/'
const sqliteEngine = '/sqlite3.wasm'

/** What is loaded when a page watches this server. */
export async function openWatched(
  given: ServeArguments,
  { workspace }: ServedWorkspace,
  pages: () => string[],
): Promise<WatchedMember> {
  const { watchedServer } = await import('../ui/ui.js')
  const { dialect, http, ui } = given
  return watchedServer({
    workspace,
    dialect: dialect.name,
    over: http === undefined ? 'stdio' : 'http',
    askMs: ui?.askMs ?? defaultAskMs,
    pages,
  })
}

const defaultAskMs = 50_000

export interface PageToOpen {
  opened: ServedWorkspace
  watch: PageWatch
  onFault(fault: unknown): void
}

/** The page that was asked for. */
export async function openPage(
  given: ServeArguments,
  { opened, watch, onFault }: PageToOpen,
): Promise<ServedPage | undefined> {
  if (given.ui === undefined) return undefined
  const page = await playgroundPage()
  if (page === undefined) throw new Error('the page is not part of this installation')
  const [{ servedPage }, { member }] = await Promise.all([
    import('../ui/ui.js'),
    watch.load() as Promise<WatchedMember>,
  ])
  const { shell, ask } = given.ui
  return servedPage({
    workspace: opened.workspace,
    dialect: given.dialect,
    page,
    shell,
    ask,
    member,
    stateDirectories: opened.stateDirectories ?? [],
    watch,
    onFault,
  })
}

/** Only whoever reads the output of `polyfs ui` can use it, also over HTTP. */
export function ownToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What `polyfs ui` prints. */
export function announcePage(
  page: ServedPage,
  { given, url, token }: { given: ServeArguments; url: string; token?: string },
) {
  const directories = given.directories.map(({ directory }) => directory).join(', ')
  const more = process.stdin.isTTY ? ' Press Enter for another one.' : ''
  return `polyfs ${version} shows ${directories || 'the workspace'} and what clients do there. Open this address; it works once.${more}

  ${page.address()}

Clients that use the same directory through polyfs are shown by themselves. To connect one to this server, paste this into its configuration:

${httpConfiguration(url, token)}
Stop with Ctrl-C.
`
}

/** Prints a new address for every line. */
export function addressForEachLine(page: ServedPage, write: (text: string) => void): void {
  if (!process.stdin.isTTY) return
  process.stdin.on('data', () => write(`  ${page.address()}\n`))
  process.stdin.unref()
}
