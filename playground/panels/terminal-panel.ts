/** A terminal for the workspace's shell; the terminal emulator is loaded when the terminal is first opened. */
import type { ITheme, Terminal } from '@xterm/xterm'
import type { App } from '../page/app.js'
import { describe } from '../page/describe-error.js'
import { button, emptyState, h } from '../page/dom.js'
import type { OpenWorkspace } from '../page/place.js'
import { onThemeChange } from '../page/theme.js'
import { placeLink } from '../page/workspace-places.js'
import { clearScreen } from '../terminal/command-screen.js'
import { wordCompleter } from '../terminal/complete-word.js'
import { lineEditor } from '../terminal/line-editor.js'
import { visible } from '../terminal/line-layout.js'
import { typedHistory } from '../terminal/typed-history.js'

export function terminalPanel(app: App): HTMLElement {
  const engine = h('span', { class: 'engine' })
  const place = h('div', { class: 'terminal' })
  let terminal: Terminal | undefined
  let opening: Promise<void> | undefined
  let cwd = '/'
  let history = typedHistory('')
  /** Whether a text can be run as it is; known once the emulator is loaded. */
  let isComplete = (_text: string) => true
  /** What the running command has written so far; undefined while none runs. */
  let written: string | undefined
  const stop = button('Stop', () => void app.workspace.files.interrupt(), { disabled: true })

  app.on('terminal', ({ stream, text }) => {
    // The result of a command that has ended had all of it.
    if (written === undefined) return
    written += text
    terminal?.write(stream === 'stderr' ? `\u001b[31m${text}\u001b[39m` : text)
  })
  function showShell(workspace: OpenWorkspace): void {
    const { about } = workspace
    cwd = about.root
    history = typedHistory(`polyfs-typed ${placeLink(workspace)}`)
    engine.textContent = about.shell === undefined ? 'no shell' : `runs on ${about.shell.engine}`
    if (about.shell === undefined) {
      place.replaceChildren(emptyState('No shell', 'This workspace is read-only, so commands cannot run in it.'))
    }
    terminal?.reset()
    if (terminal) prompt()
  }
  app.on('opened', showShell)
  app.on('panel', (name) => {
    if (name !== 'terminal' || app.workspace.about.shell === undefined) return
    opening ??= open()
    void opening.then(() => terminal?.focus())
  })

  const editor = lineEditor({
    write: (text, written) => terminal?.write(text, written),
    columns: () => terminal?.cols ?? 80,
    rows: () => terminal?.rows ?? 24,
    history: () => history,
    // Only a POSIX shell is read as bash does.
    isComplete: (text) => app.workspace.about.shell?.posix !== true || isComplete(text),
    complete: wordCompleter(app, () => cwd),
    run: (text) => void run(text),
    interrupt: () => void app.workspace.files.interrupt(),
    refuse: (message) => app.notify(message, 'failed'),
  })

  async function open(): Promise<void> {
    const loaded = await app.attempt('load the terminal', () => import('../terminal/terminal-emulator.js'))
    if (loaded === undefined) {
      opening = undefined
      return
    }
    const { completenessOf, openEmulator } = loaded
    isComplete = (text) => completenessOf(text) !== 'incomplete'
    const emulator = openEmulator(place, { theme: themeOf(place), editor, takesKey })
    onThemeChange(() => {
      emulator.options.theme = themeOf(place)
    })
    terminal = emulator
    emulator.writeln('Commands run on the files of this workspace; their changes appear in the history.')
    emulator.writeln('Try: ls, grep -rn TODO ., git status')
    prompt()
  }

  /** Some keys are the page's; Ctrl K is the terminal's where it deletes something. */
  function takesKey(event: KeyboardEvent): boolean {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return true
    const key = event.key.toLowerCase()
    if (event.shiftKey) return key !== 'f'
    return !(['p', 'o', '`'].includes(key) || (key === 'k' && !editor.hasTextAfterCursor()))
  }

  function prompt(): void {
    editor.prompt(`\u001b[1;34m${visible(cwd)}\u001b[0m $ `)
  }

  async function run(command: string): Promise<void> {
    if (command.trim() === '') return prompt()
    if (command.trim() === 'clear') {
      terminal?.write(clearScreen)
      return prompt()
    }
    place.setAttribute('aria-busy', 'true')
    place.dataset.busy = 'Running… Ctrl C stops it'
    stop.disabled = false
    written = ''
    try {
      const ran = await app.workspace.files.terminal(command, { mergeStreams: true, env: identity })
      cwd = ran.cwd
      // What was not reported while it ran.
      const rest = ran.stdout.startsWith(written) ? ran.stdout.slice(written.length) : ''
      terminal?.write(rest + (ran.stdout === '' || ran.stdout.endsWith('\n') ? '' : '\n'))
      if (ran.ended !== 'exit') terminal?.writeln(`\u001b[33m[${ran.ended}]\u001b[0m`)
      else if (ran.exitCode !== 0) terminal?.writeln(`\u001b[33m[exit code ${ran.exitCode}]\u001b[0m`)
    } catch (error) {
      terminal?.writeln(`\u001b[31m${describe(error)}\u001b[0m`)
    }
    written = undefined
    stop.disabled = true
    place.removeAttribute('aria-busy')
    prompt()
  }

  place.append(
    emptyState(
      'Terminal',
      'A shell that runs in this page, on the files of this workspace.',
      button('Open', () => app.emit('panel', 'terminal')),
    ),
  )
  showShell(app.workspace)
  return h(
    'section',
    { class: 'panel terminal-panel', 'aria-label': 'Terminal' },
    h('div', { class: 'toolbar' }, engine, h('span', { class: 'spacer' }), stop),
    place,
  )
}

/** Who commits, unless the repository or the variables of git say otherwise; the same as in the git panel. */
const identity = { POLYFS_USER_NAME: 'Playground', EMAIL: 'playground@localhost' }

/** The page's colours; those of the palette are legible on its background. */
function themeOf(element: HTMLElement): ITheme {
  const { backgroundColor: background, color: foreground } = getComputedStyle(element)
  const style = getComputedStyle(document.documentElement)
  const isDark =
    style.colorScheme === 'dark' ||
    (style.colorScheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  return { background, foreground, cursor: foreground, ...(isDark ? onDark : onLight) }
}

const onLight = {
  red: '#b3261e',
  green: '#136c33',
  yellow: '#7d4b00',
  blue: '#2f4fd0',
  magenta: '#7a2fb5',
  cyan: '#0b6b76',
}
const onDark = {
  red: '#ff8a80',
  green: '#6fd08c',
  yellow: '#e5b567',
  blue: '#93aaff',
  magenta: '#c9a2ff',
  cyan: '#7fd4de',
}
