/** The place of the agent's panel, which is loaded when it is first shown. */
import type { AgentPanel } from '../agent/agent-panel.js'
import type { App } from '../page/app.js'
import { h } from '../page/dom.js'

export function agentTab(app: App): HTMLElement {
  const element = h('div', { class: 'tab-body' })
  let loading: Promise<AgentPanel> | undefined
  /** An address can ask for the panel before there are files. */
  const isOpen = new Promise<void>((resolve) => app.on('opened', () => resolve()))

  function load(): Promise<AgentPanel> {
    loading ??= Promise.all([import('../agent/agent-panel.js'), isOpen]).then(([{ agentPanel }]) => {
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
