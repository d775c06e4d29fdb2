type Listeners = { [Name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Name]) => void }

export type Attributes = Record<string, string | number | boolean | undefined | Listeners> & { on?: Listeners }

export type Child = Node | string | false | undefined

/** Creates an element. Strings become text nodes, so a file's name or content is never parsed as markup. */
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

export function button(
  label: string,
  onClick: (event: MouseEvent) => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return h('button', { type: 'button', ...attributes, on: { click: onClick } }, label)
}

/** A button that shows only an icon; `label` is its tooltip and accessible name. */
export function iconButton(
  icon: string,
  label: string,
  onClick: (event: MouseEvent) => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const image = h('span', { 'aria-hidden': 'true' }, icon)
  const element = h(
    'button',
    { type: 'button', class: 'icon', 'aria-label': label, title: label, ...attributes },
    image,
  )
  element.addEventListener('click', onClick)
  return element
}

/** Fills an empty panel: says what the panel is for and how to fill it. */
export function emptyState(title: string, text: string, ...actions: Child[]): HTMLElement {
  return h('div', { class: 'empty' }, h('strong', {}, title), h('p', {}, text), ...actions)
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Downloads a file to the user's computer. */
export function download(name: string, content: BlobPart, type = 'application/octet-stream'): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  h('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
