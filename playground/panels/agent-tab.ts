/** The place of the agent's panel, which is loaded when it is first shown. */
import type { AgentPanel } from '../agent/agent-panel.js'
import type { App } from '../page/app.js'
import { h } from '../page/dom.js'

export function agentTab(app: App): HTMLElement {
  const element = h('div', { class: 'tab-body' })
  let loading: Promise<AgentPanel> | undefined

  function load(): Promise<AgentPanel> {
    loading ??= import('../agent/agent-panel.js').then(({ agentPanel }) => {
      const panel = agentPanel(app)
      element.replaceChildren(panel.element)
      return panel
    })
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }

  app.on('panel', (name) => {
    if (name === 'agent') void app.attempt('load the agent', load)
  })
  app.on('agent', (wanted) => {
    app.emit('panel', 'agent')
    void app
      .attempt('load the agent', load)
      .then((panel) => (wanted === 'demo' ? panel?.startDemo() : panel?.chooseModel()))
  })
  return element
}
