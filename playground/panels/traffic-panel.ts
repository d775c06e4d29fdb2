/** Shows every MCP message between this page's own clients and the server. */
import type { App } from '../page/app.js'
import type { TrafficEntry } from '../page/connection.js'
import { button, download, emptyState, formatBytes, h } from '../page/dom.js'

const maxEntries = 2000
const bytesPerToken = 4

export function trafficPanel(app: App): HTMLElement {
  const entries: TrafficEntry[] = []
  const filter = h('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter messages' })
  const totals = h('span', { class: 'totals' })
  const list = h('div', { class: 'messages', role: 'log', 'aria-label': 'Messages', tabindex: 0 })
  let isDrawPlanned = false

  app.on('traffic', (entry) => {
    entries.push(entry)
    if (entries.length > maxEntries) entries.shift()
    planDraw()
  })
  filter.addEventListener('input', planDraw)

  /** Draws once per frame, however many messages arrive. */
  function planDraw(): void {
    if (isDrawPlanned) return
    isDrawPlanned = true
    requestAnimationFrame(() => {
      isDrawPlanned = false
      draw()
    })
  }

  function matching(): TrafficEntry[] {
    const text = filter.value.toLowerCase()
    return text === '' ? entries : entries.filter(({ message }) => JSON.stringify(message).toLowerCase().includes(text))
  }

  function draw(): void {
    const shown = matching()
    const bytes = shown.reduce((sum, entry) => sum + entry.bytes, 0)
    totals.textContent = `${shown.length} messages, ${formatBytes(bytes)}, about ${Math.ceil(bytes / bytesPerToken)} tokens`
    const atEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 40
    if (shown.length === 0) {
      list.replaceChildren(
        emptyState('No messages', 'Call a tool or start the demo agent to see its MCP messages here.'),
      )
      return
    }
    list.replaceChildren(...shown.slice(-300).map(row))
    if (atEnd) list.scrollTop = list.scrollHeight
  }

  function row({ direction, atMs, bytes, message, tookMs }: TrafficEntry): HTMLElement {
    const details = h(
      'details',
      { class: direction },
      h(
        'summary',
        {},
        h('span', { class: 'arrow', 'aria-label': direction }, direction === 'sent' ? '→' : '←'),
        h('time', {}, new Date(atMs).toLocaleTimeString()),
        h('span', { class: 'said' }, summaryOf(message)),
        h('span', { class: 'size' }, `${formatBytes(bytes)} · ~${Math.ceil(bytes / bytesPerToken)} tok`),
        tookMs === undefined ? undefined : h('span', { class: 'took' }, `${tookMs.toFixed(1)} ms`),
      ),
    )
    details.addEventListener('toggle', () => {
      if (details.open && details.children.length === 1) details.append(h('pre', {}, JSON.stringify(message, null, 2)))
    })
    return details
  }

  draw()
  return h(
    'section',
    { class: 'panel traffic', 'aria-label': 'Traffic' },
    h(
      'div',
      { class: 'toolbar' },
      filter,
      totals,
      button('Export', () =>
        download(
          'traffic.jsonl',
          matching()
            .map((entry) => `${JSON.stringify(entry)}\n`)
            .join(''),
        ),
      ),
      button('Clear', () => {
        entries.length = 0
        draw()
      }),
    ),
    list,
  )
}

function summaryOf(message: object): string {
  const { method, params, id, error } = message as {
    method?: string
    params?: { name?: string }
    id?: number
    error?: { message: string }
  }
  if (method !== undefined) return `${method}${params?.name === undefined ? '' : ` ${params.name}`}`
  return error === undefined ? `answer to ${id}` : `error to ${id}: ${error.message}`
}
