/** The place of a panel whose code is loaded when it is first shown in an open workspace. */
import type { App } from '../page/app.js'
import { h } from '../page/dom.js'

export function loadedPanel(app: App, name: string, make: () => Promise<HTMLElement>): HTMLElement {
  const element = h('div', { class: 'tab-body' })
  let isOpen = false
  let isWanted = false
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    element.replaceChildren(await make())
    // It was not there to hear that it is shown.
    if (element.checkVisibility()) app.emit('panel', name)
  }

  function loadOnce(): void {
    if (!isOpen || !isWanted || loading !== undefined) return
    loading = load()
    void app
      .attempt('load the panel', () => loading as Promise<void>)
      .then(() => {
        if (element.childElementCount === 0) loading = undefined
      })
  }

  app.on('opened', () => {
    isOpen = true
    loadOnce()
  })
  app.on('panel', (shown) => {
    if (shown !== name) return
    isWanted = true
    loadOnce()
  })
  return element
}
