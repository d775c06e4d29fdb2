/** How agents get at these files: the address of this tab, the browser's own agent, code for other pages, and configurations of programs. */
import type { ServiceWorkerClient } from '../../web/endpoint/service-worker-client.js'
import type { App } from '../page/app.js'
import { describe } from '../page/describe-error.js'
import { button, h } from '../page/dom.js'
import { desktopSnippets, pageSnippets, type Snippet } from './snippets.js'
import { forgetTabEndpoint, openTabEndpoint, type TabEndpoint } from './tab-endpoint.js'
import './connect.css'

export function connectPanel(app: App): HTMLElement {
  return h(
    'section',
    { class: 'panel connect', 'aria-label': 'Connect' },
    h(
      'div',
      { class: 'connect-body' },
      thisTab(app),
      browserAgent(app),
      snippets(
        app,
        'In your own page',
        'The same server, in a worker of your page, with a client. The tools are those of this page.',
        pageSnippets,
      ),
      snippets(
        app,
        'On your computer',
        'Desktop clients start polyfs on a folder of yours. With --ui the server opens this page on it: you see what the client does, and undo it.',
        desktopSnippets,
      ),
    ),
  )
}

function thisTab(app: App): HTMLElement {
  const address = h('input', { type: 'text', readonly: true, class: 'address', 'aria-label': 'Address of this tab' })
  const status = h('p', { class: 'summary', role: 'status' })
  const list = h('ul', { class: 'clients', 'aria-label': 'Clients' })
  const isOn = h('input', { type: 'checkbox', checked: true })
  const copyAddress = button('Copy', () => void copy(app, address.value, 'The address was copied'))
  const clients = new Map<string, { name: string; requests: number; atMs: number }>()
  let endpoint: TabEndpoint | undefined
  /** The address is opened for one workspace after the other. */
  let opening: Promise<unknown> = Promise.resolve()

  async function reopen(): Promise<void> {
    endpoint?.close()
    endpoint = undefined
    clients.clear()
    drawClients()
    if (!isOn.checked) {
      forgetTabEndpoint()
      return draw('Off: requests to the address are refused.')
    }
    try {
      endpoint = await openTabEndpoint(app, seen)
      draw(endpoint === undefined ? 'This page has no service worker here, so it has no address.' : undefined)
    } catch (error) {
      draw(`There is no address: ${describe(error)}.`)
    }
  }

  function draw(problem: string | undefined): void {
    address.value = endpoint?.url ?? ''
    copyAddress.disabled = endpoint === undefined
    status.textContent =
      problem ??
      'For agents in pages of this site, while this tab is open. Programs outside the browser can’t reach it.'
  }

  function seen({ name, version, from }: ServiceWorkerClient): void {
    const key = `${from} ${name}`
    const title = version === undefined ? name : `${name} ${version}`
    clients.set(key, { name: title, requests: (clients.get(key)?.requests ?? 0) + 1, atMs: Date.now() })
    drawClients()
  }

  function drawClients(): void {
    const rows = [...clients.values()].map(({ name, requests, atMs }) =>
      h(
        'li',
        {},
        h('strong', {}, name),
        h(
          'span',
          { class: 'when' },
          `${requests} ${requests === 1 ? 'request' : 'requests'}, last at ${new Date(atMs).toLocaleTimeString()}`,
        ),
      ),
    )
    list.replaceChildren(...(rows.length > 0 ? rows : [h('li', { class: 'when' }, 'Nobody is connected yet.')]))
  }

  const plan = () => {
    opening = opening.then(reopen)
  }
  isOn.addEventListener('change', plan)
  app.on('opened', plan)
  app.on('dialect', plan)
  drawClients()
  plan()
  return part(
    'This tab',
    h('label', { class: 'inline' }, isOn, 'Answer at an address'),
    h('div', { class: 'address-row' }, address, copyAddress),
    status,
    list,
  )
}

function browserAgent(app: App): HTMLElement {
  const isOn = h('input', { type: 'checkbox' })
  const status = h('p', { class: 'summary', role: 'status' })
  let registered: AbortController | undefined

  async function update(): Promise<void> {
    registered?.abort()
    registered = undefined
    status.textContent = isOn.checked ? '' : 'Off: the browser’s agent does not see the tools.'
    if (!isOn.checked) return
    const own = new AbortController()
    registered = own
    const { files } = app.workspace
    const { dialect } = app
    const isThere = await app.attempt('register the tools', () => files.exposeWebMCP({ signal: own.signal, dialect }))
    if (registered !== own) return
    if (isThere) {
      const { length } = await files.listTools({ dialect })
      status.textContent = `The browser’s agent sees ${length} tools.`
      return
    }
    isOn.checked = false
    registered = undefined
    status.textContent =
      'This browser has no agent that pages can offer tools to (WebMCP). Chrome has it behind a flag.'
  }

  isOn.addEventListener('change', () => void update())
  for (const event of ['opened', 'dialect'] as const) app.on(event, () => isOn.checked && void update())
  void update()
  return part('The browser’s own agent', h('label', { class: 'inline' }, isOn, 'Offer the tools (WebMCP)'), status)
}

function snippets(app: App, title: string, text: string, all: readonly Snippet[]): HTMLElement {
  const choice = h(
    'select',
    { 'aria-label': title },
    ...all.map((snippet) => h('option', { value: snippet.title }, snippet.title)),
  )
  const about = h('span', { class: 'when' })
  const code = h('pre', { class: 'snippet', tabindex: 0, 'aria-label': `${title}: code` })
  const chosen = () => all.find((snippet) => snippet.title === choice.value) ?? all[0]

  function draw(): void {
    about.textContent = chosen()?.about ?? ''
    code.textContent = chosen()?.text ?? ''
  }

  choice.addEventListener('change', draw)
  draw()
  return part(
    title,
    h('p', { class: 'summary' }, text),
    h(
      'div',
      { class: 'address-row' },
      choice,
      about,
      h('span', { class: 'spacer' }),
      button('Copy', () => void copy(app, chosen()?.text ?? '', 'Copied'), { 'aria-label': `Copy: ${title}` }),
    ),
    code,
  )
}

function part(title: string, ...content: Node[]): HTMLElement {
  return h('section', { class: 'connect-part', 'aria-label': title }, h('h3', {}, title), ...content)
}

async function copy(app: App, text: string, done: string): Promise<void> {
  await app.attempt('copy', async () => {
    await navigator.clipboard.writeText(text)
    app.notify(done)
  })
}
