/** What the editor of a server's page shows before a file is open. */
import type { App } from '../page/app.js'
import { button, h } from '../page/dom.js'

export function serverWelcome(app: App): HTMLElement {
  return h(
    'div',
    { class: 'empty welcome' },
    h('h2', {}, 'The files of this computer, and who works on them'),
    h(
      'p',
      {},
      'Every MCP client that uses this directory through polyfs is listed under Clients, with what it reads and changes as it happens. Every change is in the history, with who made it, and can be undone.',
    ),
    button('Show the clients', () => app.emit('panel', 'clients')),
    button('Find a file… (Ctrl K)', () => app.emit('panel', 'palette')),
  )
}
