/** Shows every MCP message between this page's own clients and the server. */
import type { App } from '../page/app.js'
import { summaryOf, type TrafficEntry } from '../page/connection.js'
import { button, download, emptyState, formatBytes, h } from '../page/dom.js'

const maxEntries = 2000
/** How many of the newest are in the page. */
const maxRows = 300
const bytesPerToken = 4

export function trafficPanel(app: App): HTMLElement {
  const entries: TrafficEntry[] = []
  const filter = h('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter messages' })
  const totals = h('span', { class: 'totals' })
  const list = h('div', { class: 'messages', role: 'log', 'aria-label': 'Messages', tabindex: 0 })
  const elements = new WeakMap<TrafficEntry, HTMLElement>()
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
    showRows(shown.slice(-maxRows).map(row))
    if (atEnd) list.scrollTop = list.scrollHeight
  }

  /** Adds new rows at the end without touching those before, which may have the focus. */
  function showRows(rows: readonly HTMLElement[]): void {
    const isLonger = [...list.children].every((child, index) => child === rows[index])
    if (isLonger) list.append(...rows.slice(list.children.length))
    else list.replaceChildren(...rows)
  }

  /** An entry keeps its element, so that an opened row stays open. */
  function row(entry: TrafficEntry): HTMLElement {
    const known = elements.get(entry) ?? newRow(entry)
    elements.set(entry, known)
    return known
  }

  function newRow(entry: TrafficEntry): HTMLElement {
    const { direction, atMs, bytes, message, tookMs } = entry
    const details = h(
      'details',
      { class: direction },
      h(
        'summary',
        {},
        h('span', { class: 'arrow', 'aria-label': direction }, direction === 'sent' ? '→' : '←'),
        h('time', {}, new Date(atMs).toLocaleTimeString()),
        h('span', { class: 'said' }, said(entry)),
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

function said({ message, answers }: TrafficEntry): string {
  const { id, error } = message as { id?: number; error?: { message: string } }
  const request = answers ?? `request ${id}`
  return summaryOf(message) ?? (error === undefined ? `answer to ${request}` : `error to ${request}: ${error.message}`)
}
