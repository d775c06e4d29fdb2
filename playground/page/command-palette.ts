/** The command palette: commands and files, found by typing part of their names. */
import { join } from '../../src/fs/path.js'
import type { App } from './app.js'
import { h } from './dom.js'

export interface Command {
  label: string
  keys?: string
  run(): void
}

const maxShown = 50
const maxFiles = 20_000

export function openPalette(app: App, commands: readonly Command[]): void {
  if (document.querySelector('.palette')) return
  const input = h('input', {
    type: 'text',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'palette-list',
    'aria-label': 'Command or file',
    placeholder: 'Type a command or a file name',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const list = h('ul', { id: 'palette-list', role: 'listbox', 'aria-label': 'Commands and files' })
  const dialog = h('dialog', { class: 'palette', 'aria-label': 'Command palette' }, input, list)
  let files: Command[] = []
  let shown: Command[] = []
  let active = 0

  void app.workspace.files
    .run('findFiles', { ignore: { git: 'always' }, exclude: ['.git'], limit: maxFiles })
    .then(({ path: directory, entries }) => {
      files = entries.map(({ path }) => {
        const file = join(directory, path)
        return { label: path, run: () => app.emit('show', { path: file, focus: true }) }
      })
      draw()
    })
    .catch(() => {})

  function draw(): void {
    const wanted = input.value.toLowerCase()
    shown = [...commands, ...files].filter(({ label }) => fits(label.toLowerCase(), wanted)).slice(0, maxShown)
    active = Math.min(active, Math.max(0, shown.length - 1))
    list.replaceChildren(
      ...shown.map((command, index) => {
        const option = h(
          'li',
          { role: 'option', id: `option-${index}`, 'aria-selected': String(index === active) },
          h('span', {}, command.label),
          command.keys === undefined ? undefined : h('kbd', {}, command.keys),
        )
        option.addEventListener('click', () => choose(command))
        return option
      }),
    )
    input.setAttribute('aria-activedescendant', `option-${active}`)
    list.children[active]?.scrollIntoView({ block: 'nearest' })
  }

  function choose(command: Command | undefined): void {
    dialog.close()
    command?.run()
  }

  input.addEventListener('input', () => {
    active = 0
    draw()
  })
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') active = Math.min(shown.length - 1, active + 1)
    else if (event.key === 'ArrowUp') active = Math.max(0, active - 1)
    else if (event.key === 'Enter') return choose(shown[active])
    else return
    event.preventDefault()
    draw()
  })
  dialog.addEventListener('close', () => dialog.remove())
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())
  document.body.append(dialog)
  dialog.showModal()
  draw()
}

/** True when all letters of `wanted` occur in `label`, in order. */
function fits(label: string, wanted: string): boolean {
  let at = 0
  for (const letter of wanted) {
    at = label.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}
