/** The place of the panel that connects agents, which is loaded when it is first shown. */
import type { App } from '../page/app.js'
import { h } from '../page/dom.js'

export function connectTab(app: App): HTMLElement {
  const element = h('div', { class: 'tab-body' })
  let loading: Promise<void> | undefined

  function load(): Promise<void> {
    loading ??= import('../connect/connect-panel.js').then(({ connectPanel }) =>
      element.replaceChildren(connectPanel(app)),
    )
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }

  app.on('panel', (name) => {
    if (name === 'connect') void app.attempt('load the panel', load)
  })
  const stop = app.on('listed', () => {
    stop()
    // An agent may be using the address that this tab had before it was reloaded.
    if (sessionStorage.getItem('polyfs-tab') !== null) void load()
  })
  return element
}
