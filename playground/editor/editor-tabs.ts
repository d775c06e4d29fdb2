/** The open files and comparisons, as tabs above the one that is shown. */
import type { Stat } from '../../src/fs/types.js'
import { h, iconButton } from '../page/dom.js'
import type { OpenFile } from './open-file.js'

export interface Tab {
  title(): string
  /** Shown when the pointer is over the tab. */
  hint(): string
  body: HTMLElement
  /** The path of a file, also of one that can't be edited. */
  path?: string
  /** Absent for comparisons and for files that can't be edited. */
  file?: OpenFile
  /** How the file looked before it was last read, if that differs from another version. */
  seen?: Stat
  /** What a comparison shows. */
  comparison?: string
  /** Reads again what a comparison shows. */
  refresh?(): Promise<void>
  close(): void
}

export interface EditorTabs {
  readonly all: readonly Tab[]
  readonly active: Tab | undefined
  /** The row of tabs, and the place below it. */
  readonly elements: readonly HTMLElement[]
  ofPath(path: string): Tab | undefined
  /** Adds a tab unless it exists. It is seen with the next drawing. */
  add(tab: Tab): void
  activate(tab: Tab): void
  replace(tab: Tab, next: Tab): void
  /** Closes a tab, whatever was typed. */
  remove(tab: Tab): void
  clear(): void
  draw(): void
}

/** `start` is shown while there is no tab. */
export function editorTabs(start: HTMLElement): EditorTabs {
  const tabs: Tab[] = []
  let active: Tab | undefined
  const bar = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Open files' })
  const area = h('div', { class: 'editor-area' })

  function draw(): void {
    bar.replaceChildren(...tabs.map(tabElement))
    const visible = active?.body ?? start
    if (area.firstChild !== visible) area.replaceChildren(visible)
  }

  function tabElement(tab: Tab): HTMLElement {
    const chosen = tab === active
    const isDeleted = tab.file?.isDeleted === true
    const title = `${tab.title()}${isDeleted ? ' (deleted)' : ''}`
    const name = h(
      'button',
      { type: 'button', role: 'tab', 'aria-selected': String(chosen), title: tab.hint(), tabindex: chosen ? 0 : -1 },
      tab.file?.isUnsaved() ? `● ${title}` : title,
    )
    name.addEventListener('click', () => activate(tab))
    name.addEventListener('keydown', ({ key }) => {
      if (key === 'Delete') void close(tab)
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length]
      if (step === 0 || next === undefined) return
      activate(next)
      bar.querySelector<HTMLElement>('[aria-selected=true]')?.focus()
    })
    return h(
      'span',
      { class: `tab${chosen ? ' active' : ''}${isDeleted ? ' deleted' : ''}`, role: 'presentation' },
      name,
      // A `tablist` may contain only tabs, so this button is for pointers; the Delete key does the same.
      iconButton('×', `Close ${tab.title()} (Delete)`, () => void close(tab), { 'aria-hidden': 'true', tabindex: -1 }),
    )
  }

  function activate(tab: Tab): void {
    active = tab
    draw()
    void tab.refresh?.()
    if (tab.path !== undefined) nameInAddress(tab.path)
  }

  /** Asks when something typed can't be saved. */
  async function close(tab: Tab): Promise<void> {
    if (tab.file?.isUnsaved()) activate(tab)
    if (tab.file && !(await tab.file.mayClose())) return
    remove(tab)
  }

  function remove(tab: Tab): void {
    const index = tabs.indexOf(tab)
    if (index < 0) return
    tab.close()
    tabs.splice(index, 1)
    if (active === tab) active = tabs[Math.min(index, tabs.length - 1)]
    draw()
  }

  draw()
  return {
    all: tabs,
    get active() {
      return active
    },
    elements: [bar, area],
    ofPath: (path) => tabs.find((tab) => tab.path === path),
    add(tab) {
      if (!tabs.includes(tab)) tabs.push(tab)
    },
    activate,
    replace(tab, next) {
      tab.close()
      tabs[tabs.indexOf(tab)] = next
      if (active === tab) active = next
      draw()
    },
    remove,
    clear() {
      for (const tab of tabs) tab.close()
      tabs.length = 0
      active = undefined
      draw()
    },
    draw,
  }
}

/** The address of the page names the file that is shown. */
export function nameInAddress(path: string): void {
  const parameters = new URLSearchParams(location.hash.slice(1))
  parameters.set('file', path)
  history.replaceState(null, '', `#${parameters}`)
}
