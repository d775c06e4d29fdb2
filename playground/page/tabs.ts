import type { App } from './app.js'
import { h } from './dom.js'

export interface Panel {
  id: string
  title: string
  element: HTMLElement
}

/** A tab bar with panels, one of them visible. A `panel` event brings one to the front by its id. */
export function tabbed(app: App, label: string, panels: readonly [Panel, ...Panel[]]): HTMLElement {
  const tabs = panels.map(({ id, title }) => {
    const tab = h('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': `panel-${id}` }, title)
    tab.addEventListener('click', () => app.emit('panel', id))
    tab.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
      if (step === 0) return
      const next = (tabs.indexOf(tab) + step + tabs.length) % tabs.length
      tabs[next]?.focus()
      app.emit('panel', panels[next]?.id ?? id)
    })
    return tab
  })
  const bodies = panels.map(({ id, element }) =>
    h('div', { role: 'tabpanel', id: `panel-${id}`, 'aria-labelledby': `tab-${id}`, class: 'tab-body' }, element),
  )

  function show(id: string): void {
    const index = panels.findIndex((panel) => panel.id === id)
    if (index < 0) return
    tabs.forEach((tab, each) => {
      tab.setAttribute('aria-selected', String(each === index))
      tab.tabIndex = each === index ? 0 : -1
    })
    bodies.forEach((body, each) => {
      body.hidden = each !== index
    })
  }

  show(panels[0].id)
  app.on('panel', show)
  return h(
    'div',
    { class: 'tabbed' },
    h('div', { class: 'tabs', role: 'tablist', 'aria-label': label }, ...tabs),
    ...bodies,
  )
}
