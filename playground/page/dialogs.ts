import { button, h } from './dom.js'

export interface MenuItem {
  label: string
  hint?: string
  run(): void
}

/** Opens a menu at a position. It closes when an item is chosen or when it loses the focus. */
export function openMenu({ x, y }: { x: number; y: number }, items: readonly MenuItem[]): void {
  const before = document.activeElement
  let closed = false
  const close = () => {
    // Removing the focused element fires `focusout` during the removal.
    closed = true
    menu.remove()
    if (before instanceof HTMLElement) before.focus()
  }
  const menu = h(
    'div',
    { class: 'menu', role: 'menu' },
    ...items.map(({ label, hint, run }) =>
      h(
        'button',
        {
          type: 'button',
          role: 'menuitem',
          on: {
            click: () => {
              close()
              run()
            },
          },
        },
        h('span', {}, label),
        hint === undefined ? undefined : h('kbd', {}, hint),
      ),
    ),
  )
  document.body.append(menu)
  const { width, height } = menu.getBoundingClientRect()
  menu.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`
  menu.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`
  const buttons = [...menu.querySelectorAll('button')]
  buttons[0]?.focus()
  menu.addEventListener('keydown', (event) => {
    const index = buttons.indexOf(document.activeElement as HTMLButtonElement)
    if (event.key === 'Escape' || event.key === 'Tab') close()
    else if (event.key === 'ArrowDown') buttons[(index + 1) % buttons.length]?.focus()
    else if (event.key === 'ArrowUp') buttons.at(index - 1)?.focus()
    else return
    event.preventDefault()
  })
  menu.addEventListener('focusout', ({ relatedTarget }) => {
    if (!closed && !menu.contains(relatedTarget as Node)) menu.remove()
  })
}

/** Asks for a line of text; undefined when the user cancels. */
export function askFor(
  title: string,
  { label, value = '', accept }: { label: string; value?: string; accept: string },
): Promise<string | undefined> {
  const input = h('input', { type: 'text', value, spellcheck: 'false', autocomplete: 'off', required: true })
  return modal<string>(title, accept, [h('label', {}, label, input)], () => input.value)
}

export function confirmWith(title: string, text: string, accept: string): Promise<boolean> {
  return modal(title, accept, [h('p', {}, text)], () => true).then((answer) => answer ?? false)
}

/** Asks to choose one of several actions; undefined when the user cancels. */
export function choose<Label extends string>(
  title: string,
  text: string,
  labels: readonly Label[],
): Promise<Label | undefined> {
  return new Promise((resolve) => {
    const act = (label: Label) => h('button', { type: 'submit', value: label }, label)
    const form = h(
      'form',
      { method: 'dialog' },
      h('p', {}, text),
      h(
        'div',
        { class: 'actions' },
        button('Cancel', () => dialog.close()),
        ...labels.map(act),
      ),
    )
    const dialog = showDialog(title, form)
    dialog.addEventListener('close', () => resolve(labels.find((label) => label === dialog.returnValue)))
  })
}

export function showDialog(title: string, ...content: Node[]): HTMLDialogElement {
  const dialog = h('dialog', { 'aria-label': title }, h('h2', {}, title), ...content)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}

function modal<Answer>(
  title: string,
  accept: string,
  content: Node[],
  answer: () => Answer,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const form = h(
      'form',
      { method: 'dialog' },
      ...content,
      h(
        'div',
        { class: 'actions' },
        button('Cancel', () => dialog.close()),
        h('button', { type: 'submit', value: 'yes', class: 'primary' }, accept),
      ),
    )
    const dialog = showDialog(title, form)
    const input = dialog.querySelector('input')
    input?.select()
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes' ? answer() : undefined))
  })
}
