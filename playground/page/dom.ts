type Listeners = { [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void }

export type Attributes = Record<string, string | number | boolean | undefined | Listeners> & { on?: Listeners }

export type Child = Node | string | false | undefined

/** An element. Text is always text: nothing here ever parses a file's name or content as markup. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { on = {}, ...attributes }: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || typeof value === 'object') continue
    element.setAttribute(name, value === true ? '' : String(value))
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener as EventListener)
  element.append(...children.filter((child) => child !== undefined && child !== false))
  return element
}

/** A button with a name that assistive technology reads, whatever it shows. */
export function button(
  label: string,
  onClick: (event: MouseEvent) => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return h('button', { type: 'button', ...attributes, on: { click: onClick } }, label)
}

/** A button that shows only a sign. */
export function iconButton(
  sign: string,
  label: string,
  onClick: (event: MouseEvent) => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const shown = h('span', { 'aria-hidden': 'true' }, sign)
  const made = h('button', { type: 'button', class: 'icon', 'aria-label': label, title: label, ...attributes }, shown)
  made.addEventListener('click', onClick)
  return made
}

/** What to show where there is nothing yet: what this place is for, and how to fill it. */
export function emptyState(title: string, text: string, ...actions: Child[]): HTMLElement {
  return h('div', { class: 'empty' }, h('strong', {}, title), h('p', {}, text), ...actions)
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Hands a file to the user. */
export function download(name: string, content: BlobPart, type = 'application/octet-stream'): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  h('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
