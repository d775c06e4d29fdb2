/** The place of the panel with the clients. It comes to the front when a call waits. */
import type { App } from '../page/app.js'
import { h } from '../page/dom.js'
import { serverOf } from './server-of.js'

export function clientsTab(app: App): HTMLElement {
  const element = h('div', { class: 'tab-body' })
  let loading: Promise<void> | undefined

  function load(): Promise<void> {
    loading ??= import('./clients-panel.js').then(({ clientsPanel }) => element.replaceChildren(clientsPanel(app)))
    return loading
  }

  app.on('opened', ({ files }) => {
    if (serverOf(files)) void app.attempt('load the clients', load)
  })
  return element
}
