/** A terminal for the workspace's shell; the terminal emulator is loaded when the terminal is first opened. */
import type { Terminal } from '@xterm/xterm'
import { type App, describe } from '../page/app.js'
import { button, emptyState, h } from '../page/dom.js'
import { onThemeChange } from '../page/theme.js'
import { lineEditor } from '../terminal/line-editor.js'

export function terminalPanel(app: App): HTMLElement {
  const engine = h('span', { class: 'engine' })
  const place = h('div', { class: 'terminal' })
  let terminal: Terminal | undefined
  let opening: Promise<void> | undefined
  let cwd = '/'

  app.on('opened', ({ about }) => {
    cwd = about.root
    engine.textContent = about.shell === undefined ? 'no shell' : `runs on ${about.shell.engine}`
    if (about.shell === undefined) {
      place.replaceChildren(emptyState('No shell', 'This workspace is read-only, so commands cannot run in it.'))
    }
    terminal?.reset()
    if (terminal) prompt()
  })
  app.on('panel', (name) => {
    if (name !== 'terminal' || app.workspace.about.shell === undefined) return
    opening ??= open()
    void opening.then(() => terminal?.focus())
  })

  const editor = lineEditor({
    write: (text) => terminal?.write(text),
    run: (line) => void run(line),
    interrupt: () => void app.workspace.files.interrupt(),
    clear: () => terminal?.clear(),
  })

  async function open(): Promise<void> {
    const loaded = await app.attempt('load the terminal', () => import('../terminal/terminal-emulator.js'))
    if (loaded === undefined) {
      opening = undefined
      return
    }
    const { FitAddon, Terminal: Emulator } = loaded
    const emulator = new Emulator({
      fontSize: innerWidth < 600 ? 12 : 13,
      convertEol: true,
      cursorBlink: true,
      screenReaderMode: true,
      theme: themeOf(place),
    })
    const fit = new FitAddon()
    emulator.loadAddon(fit)
    place.replaceChildren()
    emulator.open(place)
    new ResizeObserver(() => place.clientHeight > 0 && fit.fit()).observe(place)
    onThemeChange(() => {
      emulator.options.theme = themeOf(place)
    })
    emulator.onData(editor.type)
    terminal = emulator
    emulator.writeln('Commands run on the files of this workspace; their changes appear in the history.')
    emulator.writeln('Try: ls, grep -rn TODO ., git status')
    prompt()
  }

  function prompt(): void {
    editor.prompt(`\u001b[1;34m${cwd}\u001b[0m $ `)
  }

  async function run(line: string): Promise<void> {
    if (line.trim() === '') return prompt()
    if (line.trim() === 'clear') {
      terminal?.clear()
      return prompt()
    }
    place.setAttribute('aria-busy', 'true')
    place.dataset.busy = 'Running… Ctrl C stops it'
    try {
      const { stdout, stderr, ended, exitCode, cwd: nextCwd } = await app.workspace.files.terminal(line)
      cwd = nextCwd
      terminal?.write(withNewline(stdout))
      if (stderr !== '') terminal?.write(`\u001b[31m${withNewline(stderr)}\u001b[0m`)
      if (ended !== 'exit') terminal?.writeln(`\u001b[33m[${ended}]\u001b[0m`)
      else if (exitCode !== 0) terminal?.writeln(`\u001b[33m[exit code ${exitCode}]\u001b[0m`)
    } catch (error) {
      terminal?.writeln(`\u001b[31m${describe(error)}\u001b[0m`)
    }
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
  return h(
    'section',
    { class: 'panel terminal-panel', 'aria-label': 'Terminal' },
    h('div', { class: 'toolbar' }, engine),
    place,
  )
}

function withNewline(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function themeOf(element: HTMLElement): { background: string; foreground: string; cursor: string } {
  const { backgroundColor: background, color: foreground } = getComputedStyle(element)
  return { background, foreground, cursor: foreground }
}
