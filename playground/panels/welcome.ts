/** What the editor shows before a file is open: what this page is, and where to start. */
import type { App } from '../page/app.js'
import { button, h } from '../page/dom.js'
import { choosePlace } from '../page/workspace-places.js'

export function welcome(app: App): HTMLElement {
  return h(
    'div',
    { class: 'empty welcome' },
    h('h2', {}, 'Files for agents, in this page'),
    h(
      'p',
      {},
      'An MCP server runs in this page. People and agents work on the same files with it, every change is recorded, and every change can be undone.',
    ),
    h(
      'div',
      { class: 'starts' },
      start('Watch the demo', 'A script plays an agent: it edits, fails, recovers and commits.', () =>
        app.emit('agent', 'demo'),
      ),
      start('Use your model…', 'An agent works here; you watch, allow and undo.', () => app.emit('agent', 'model')),
      start('Open a folder, zip or repository…', 'Your files stay on this computer.', () => void choosePlace(app)),
      start('Embed it…', 'The same server in your own page, and for your own programs.', () =>
        app.emit('panel', 'connect'),
      ),
    ),
    button('Find a file… (Ctrl K)', () => app.emit('panel', 'palette')),
  )
}

function start(label: string, text: string, run: () => void): HTMLElement {
  return h(
    'button',
    { type: 'button', class: 'start', on: { click: run } },
    h('strong', {}, label),
    h('small', {}, text),
  )
}
