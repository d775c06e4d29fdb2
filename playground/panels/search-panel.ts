/** Searches file contents with the engine that the tools use. */
import type { SearchText } from '../../src/ops/search-text.js'
import type { MatchRecord } from '../../src/search/run/records.js'
import type { App } from '../page/app.js'
import { describe } from '../page/describe-error.js'
import { emptyState, h } from '../page/dom.js'

const maxMatches = 500
/** How much of the line is shown before a match. */
const contextUnits = 12
/** Delay after the last key press. */
const searchAfterMs = 250

export function searchPanel(app: App): HTMLElement {
  const query = h('input', {
    type: 'search',
    'aria-label': 'Search for',
    placeholder: 'Search in files',
    spellcheck: 'false',
  })
  const include = h('input', {
    type: 'text',
    'aria-label': 'Files to include',
    placeholder: 'Files to include, such as *.ts',
  })
  const options = {
    regex: toggle('.*', 'Regular expression'),
    matchCase: toggle('Aa', 'Match case'),
    wholeWord: toggle('Words', 'Whole words'),
  }
  const summary = h('p', { class: 'summary', role: 'status' })
  const results = h('div', { class: 'results' })
  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const plan = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void search(), searchAfterMs)
  }
  for (const input of [query, include]) input.addEventListener('input', plan)
  for (const option of Object.values(options)) option.addEventListener('click', plan)
  let isStale = false
  const refresh = () => {
    isStale = query.value !== ''
    if (isStale && results.checkVisibility()) plan()
  }
  app.on('changed', refresh)
  app.on('outside', refresh)
  app.on('panel', (name) => name === 'search' && isStale && plan())
  app.on('opened', clear)
  // The panel becomes visible only after all listeners have run, and a hidden field can't have the focus.
  app.on('panel', (name) => name === 'search' && queueMicrotask(() => query.focus()))

  function clear(): void {
    summary.textContent = ''
    results.replaceChildren(emptyState('Search the workspace', 'Ignored and binary files are skipped and counted.'))
  }

  async function search(): Promise<void> {
    turn += 1
    const own = turn
    isStale = false
    if (query.value === '') return clear()
    results.setAttribute('aria-busy', 'true')
    results.dataset.busy = 'Searching…'
    const globs = include.value.split(',').map((glob) => glob.trim())
    const found = await app.workspace.files
      .run('searchText', {
        include: globs.filter((glob) => glob !== ''),
        exclude: ['.git'],
        ignore: { git: 'always' },
        request: {
          matcher: {
            pattern: query.value,
            syntax: pressed(options.regex) ? 'ecmascript' : 'literal',
            ignoreCase: !pressed(options.matchCase),
            wholeWord: pressed(options.wholeWord),
          },
          mode: 'content',
          limit: maxMatches,
          text: { nul: { first: 8000 } },
          maxReportedUnits: 300,
        },
      })
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
    if (own !== turn) return
    results.removeAttribute('aria-busy')
    if (found instanceof Error) {
      summary.textContent = `Search failed: ${describe(found)}`
      results.replaceChildren()
    } else show(found)
  }

  function show({ files, summary: totals, ignored = 0 }: SearchText): void {
    const { skipped, matches, filesMatched, filesSearched, truncated } = totals
    const skippedCounts = [
      ignored > 0 && `${ignored} ignored`,
      skipped.binary > 0 && `${skipped.binary} binary`,
      skipped.tooLarge > 0 && `${skipped.tooLarge} too large`,
    ].filter(Boolean)
    summary.textContent =
      `${matches} matches in ${filesMatched} of ${filesSearched} files` +
      (truncated ? ', not all shown' : '') +
      (skippedCounts.length > 0 ? `; skipped: ${skippedCounts.join(', ')}` : '')
    results.replaceChildren(
      ...files.map(({ path, records, matches: count }) =>
        h(
          'details',
          { open: true },
          h('summary', {}, h('span', { class: 'path' }, path), h('span', { class: 'count' }, String(count))),
          ...records.flatMap((record) => (record.kind === 'match' ? [matchElement(path, record)] : [])),
        ),
      ),
    )
  }

  function matchElement(path: string, { line, text, column, length }: MatchRecord): HTMLElement {
    const start = column.units
    // The text before the match may be long, and the panel is narrow.
    const cut = Math.max(0, start - contextUnits)
    const row = h(
      'button',
      { type: 'button', class: 'match' },
      h('span', { class: 'line' }, String(line)),
      h(
        'span',
        { class: 'text' },
        cut > 0 ? `…${text.slice(cut, start)}` : text.slice(0, start),
        h('mark', {}, text.slice(start, start + length)),
        text.slice(start + length),
      ),
    )
    row.addEventListener('click', () => app.emit('show', { path, line }))
    return row
  }

  clear()
  return h(
    'section',
    { class: 'panel search', 'aria-label': 'Search' },
    h('div', { class: 'search-form' }, query, h('div', { class: 'toggles' }, ...Object.values(options)), include),
    summary,
    results,
  )
}

function toggle(icon: string, label: string): HTMLButtonElement {
  const element = h(
    'button',
    { type: 'button', class: 'toggle', 'aria-pressed': 'false', 'aria-label': label, title: label },
    icon,
  )
  element.addEventListener('click', () =>
    element.setAttribute('aria-pressed', String(element.getAttribute('aria-pressed') !== 'true')),
  )
  return element
}

function pressed(element: HTMLElement): boolean {
  return element.getAttribute('aria-pressed') === 'true'
}
