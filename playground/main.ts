import { dialectNames, isDialectName } from '../src/dialects/registry.js'
import { createApp } from './page/app.js'
import { type Command, openPalette } from './page/command-palette.js'
import { button, h, iconButton } from './page/dom.js'
import { createNotices } from './page/notices.js'
import { cacheForOffline } from './page/offline.js'
import { makeResizable } from './page/resize.js'
import { tabbed } from './page/tabs.js'
import { restoreTheme, switchTheme } from './page/theme.js'
import {
  acceptDrops,
  choosePlace,
  exportPatch,
  exportZip,
  openAny,
  openClone,
  openFirst,
  placeLink,
  placeOfLink,
  watchPermission,
} from './page/workspace-places.js'
import { agentTab } from './panels/agent-tab.js'
import { connectTab } from './panels/connect-tab.js'
import { editorPanel } from './panels/editor-panel.js'
import { filesPanel } from './panels/files-panel.js'
import { loadedPanel } from './panels/loaded-panel.js'
import { searchPanel } from './panels/search-panel.js'
import { toolsPanel } from './panels/tools-panel.js'
import { trafficPanel } from './panels/traffic-panel.js'
import { clientsTab } from './remote/clients-tab.js'
import { isServerPage } from './remote/server-of.js'

const showSavingAfterMs = 500

restoreTheme()
const notices = createNotices()
const app = createApp(notices)

const commands: readonly Command[] = [
  { label: 'Open a workspace…', keys: 'Ctrl O', run: () => void choosePlace(app) },
  { label: 'Clone a repository…', run: () => void openClone(app) },
  { label: 'Start the demo agent', run: () => app.emit('agent', 'demo') },
  { label: 'Choose the agent’s model…', run: () => app.emit('agent', 'model') },
  { label: 'Show the agent', run: () => app.emit('panel', 'agent') },
  { label: 'Search in files', keys: 'Ctrl Shift F', run: () => app.emit('panel', 'search') },
  { label: 'Show files', run: () => app.emit('panel', 'files') },
  { label: 'Show git', run: () => app.emit('panel', 'git') },
  { label: 'Show history', run: () => app.emit('panel', 'history') },
  { label: 'Show the terminal', keys: 'Ctrl `', run: () => app.emit('panel', 'terminal') },
  { label: 'Show the tools', run: () => app.emit('panel', 'tools') },
  { label: 'Connect an agent', run: () => app.emit('panel', 'connect') },
  { label: 'Show the MCP traffic', run: () => app.emit('panel', 'traffic') },
  { label: 'Undo the last change', run: () => void undoLast() },
  { label: 'Export as zip', run: () => void exportZip(app) },
  { label: 'Export changes as patch', run: () => void exportPatch(app) },
  { label: 'Switch between light and dark', run: switchTheme },
  ...dialectNames.map((name) => ({ label: `Use the ${name} dialect`, run: () => app.setDialect(name) })),
]

const place = h('button', { type: 'button', class: 'place', title: 'Open another workspace' }, 'Opening…')
place.addEventListener('click', () => void choosePlace(app))
const dialect = h(
  'select',
  { 'aria-label': 'Tool dialect' },
  ...dialectNames.map((name) => h('option', { value: name }, name)),
)
dialect.addEventListener('change', () => app.setDialect(dialect.value))

const saving = h('span', { class: 'saving', role: 'status' })
const header = h(
  'header',
  { class: 'bar' },
  h('h1', {}, 'polyfs'),
  place,
  saving,
  h('span', { class: 'spacer' }),
  h('label', { class: 'inline dialect' }, 'Dialect', dialect),
  button('Export zip', () => void exportZip(app), { class: 'wide' }),
  button('Export patch', () => void exportPatch(app), { class: 'wide' }),
  button('Demo', () => app.emit('agent', 'demo'), { class: 'primary' }),
  iconButton('☰', 'Commands (Ctrl K)', () => openPalette(app, commands)),
  iconButton('◐', 'Switch between light and dark', switchTheme),
)
const gitPanel = async () => (await import('./panels/git-panel.js')).gitPanel(app)
const historyPanel = async () => (await import('./panels/history-panel.js')).historyPanel(app)
const terminalPanel = async () => (await import('./panels/terminal-panel.js')).terminalPanel(app)
const side = tabbed(app, 'Workspace', [
  { id: 'files', title: 'Files', element: filesPanel(app) },
  { id: 'search', title: 'Search', element: searchPanel(app) },
  { id: 'git', title: 'Git', element: loadedPanel(app, 'git', gitPanel) },
  { id: 'history', title: 'History', element: loadedPanel(app, 'history', historyPanel) },
])
const dock = tabbed(app, 'Agent', [
  { id: 'tools', title: 'Tools', element: toolsPanel(app) },
  { id: 'agent', title: 'Agent', element: agentTab(app) },
  { id: 'terminal', title: 'Terminal', element: loadedPanel(app, 'terminal', terminalPanel) },
  { id: 'traffic', title: 'Traffic', element: trafficPanel(app) },
  { id: 'connect', title: 'Connect', element: connectTab(app) },
  ...(isServerPage ? [{ id: 'clients', title: 'Clients', element: clientsTab(app) }] : []),
])
const areas = {
  side: h('aside', { 'aria-label': 'Workspace' }, side),
  main: h('main', {}, editorPanel(app)),
  dock: h('section', { class: 'dock', 'aria-label': 'Tools and agent' }, dock),
}
const phoneNavigation = h(
  'nav',
  { class: 'phone', 'aria-label': 'Areas' },
  ...(['side', 'main', 'dock'] as const).map((area) =>
    button({ side: 'Workspace', main: 'Editor', dock: 'Agent' }[area], () => showArea(area), { 'data-area': area }),
  ),
)
makeResizable(areas)
document.body.append(header, areas.side, areas.main, areas.dock, phoneNavigation, notices.element)
showArea('side')
acceptDrops(app)
// For the console of the browser: `await polyfs.callTool('list_dir', { path: '.' })`.
Object.defineProperty(globalThis, 'polyfs', { get: () => app.workspace.files })

app.on('opened', (workspace) => {
  const { title, kind, about } = workspace
  const where = {
    memory: 'in memory',
    opfs: 'in this browser',
    folder: 'folder',
    zip: 'zip, in memory',
    clone: 'clone, in memory',
    server: 'this computer',
  }[kind]
  const name = kind === 'server' ? about.root : title
  place.textContent = `${name} · ${where}${about.readOnly ? ' · read-only' : ''}`
  document.title = kind === 'server' ? `${name} – polyfs` : `${name} – polyfs playground`
  setLink('workspace', placeLink(workspace))
})
/** A short save needs no message. */
let savingTimer: ReturnType<typeof setTimeout> | undefined
app.on('storing', (count) => {
  clearTimeout(savingTimer)
  const text = count === 0 ? '' : `Saving ${count.toLocaleString('en')} ${count === 1 ? 'file' : 'files'}…`
  if (count === 0 || saving.textContent !== '') saving.textContent = text
  else {
    savingTimer = setTimeout(() => {
      saving.textContent = text
    }, showSavingAfterMs)
  }
})
app.on('link', (isConnected) => {
  saving.textContent = isConnected ? '' : 'The server does not answer. Trying again…'
})
app.on('barred', () => {
  saving.textContent = ''
})
app.on('dialect', (name) => {
  dialect.value = name
  setLink('dialect', name)
})
app.on('show', ({ changed }) => {
  // On a small screen, an agent that changes a file does not hide the conversation.
  if (changed === undefined) showArea('main')
})
app.on('compare', () => showArea('main'))
app.on('panel', (name) => {
  if (name === 'palette') return openPalette(app, commands)
  const isInSide = ['files', 'search', 'git', 'history'].includes(name)
  showArea(isInSide ? 'side' : 'dock')
  // A conversation is tall: on a wide screen it is beside the editor.
  if (!isInSide) document.body.dataset.dock = name
  setLink('panel', name)
})

document.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey)) return
  const wanted = {
    k: () => openPalette(app, commands),
    p: () => openPalette(app, commands),
    o: () => void choosePlace(app),
    '`': () => app.emit('panel', 'terminal'),
  }
  const key = event.key.toLowerCase()
  const action =
    event.shiftKey && key === 'f'
      ? () => app.emit('panel', 'search')
      : event.shiftKey
        ? undefined
        : wanted[key as keyof typeof wanted]
  if (action === undefined) return
  event.preventDefault()
  action()
})
// Asks before leaving while changes are only in memory or not yet in the browser's storage.
addEventListener('beforeunload', (event) => {
  if (app.hasUnsaved() || app.isStoring()) event.preventDefault()
})
document.addEventListener('visibilitychange', () => {
  if (document.hidden) void app.workspace.files.flush().catch(() => {})
})

await start()

async function start(): Promise<void> {
  if (isServerPage) return startOnServer()
  const link = new URLSearchParams(location.hash.slice(1))
  const asked = await placeOfLink(app, link.get('workspace'))
  const opened = asked && (await app.attempt(`open ${asked.title}`, () => app.open(asked).then(() => true)))
  if (!opened) await app.attempt('open the sample', () => openFirst(app))
  follow(link)
  if (link.get('panel') === null) showArea('side')
  watchPermission(app)
  addEventListener('hashchange', () => void goTo(new URLSearchParams(location.hash.slice(1))))
  await cacheForOffline()
}

/** The page that `polyfs ui` serves. */
async function startOnServer(): Promise<void> {
  const { openServer } = await import('./remote/server-place.js')
  if (!(await openServer(app))) return
  const link = new URLSearchParams(location.hash.slice(1))
  follow(link)
  if (link.get('panel') === null) app.emit('panel', 'clients')
  showArea('side')
}

/** Opens the workspace named by a link that was pasted into the address bar of the open page. */
async function goTo(link: URLSearchParams): Promise<void> {
  const asked = link.get('workspace')
  const place = asked === placeLink(app.workspace) ? undefined : await placeOfLink(app, asked)
  if (place !== undefined) await openAny(app, place)
  else setLink('workspace', placeLink(app.workspace))
  follow(link)
}

/** Applies the parts of a link that concern the open workspace: dialect, panel and file. */
function follow(link: URLSearchParams): void {
  const wanted = link.get('dialect')
  if (wanted !== null && isDialectName(wanted)) app.setDialect(wanted)
  const panel = link.get('panel')
  if (panel !== null) app.emit('panel', panel)
  const file = link.get('file')
  if (file !== null) app.emit('show', { path: file })
}

async function undoLast(): Promise<void> {
  const done = await app.attempt('undo the last change', () => app.workspace.files.run('undoChange', {}))
  if (done) app.notify('The last change was undone')
}

/** A small screen shows one area at a time. */
function showArea(area: keyof typeof areas): void {
  document.body.dataset.area = area
  for (const each of phoneNavigation.children) {
    each.setAttribute('aria-current', String((each as HTMLElement).dataset.area === area))
  }
}

function setLink(name: string, value: string): void {
  const parameters = new URLSearchParams(location.hash.slice(1))
  parameters.set(name, value)
  history.replaceState(null, '', `#${parameters}`)
}
