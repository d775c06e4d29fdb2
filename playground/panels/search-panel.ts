/** Searches file contents with the engine that the tools use. */
import type { App } from '../page/app.js'
import { describe } from '../page/describe-error.js'
import { confirmWith } from '../page/dialogs.js'
import { button, emptyState, h } from '../page/dom.js'
import { pace } from '../page/pace.js'
import { describeTotals, fileElement } from './search-results.js'

const maxMatches = 500
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
  const replacement = h('input', {
    type: 'text',
    'aria-label': 'Replace with',
    placeholder: 'Replace with',
    spellcheck: 'false',
  })
  const replaceAll = button('Replace all…', () => void replace(), { disabled: true })
  const summary = h('p', { class: 'summary', role: 'status' })
  const results = h('div', { class: 'results' })
  let turn = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const plan = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void search(), searchAfterMs)
  }
  const searchNow = () => {
    clearTimeout(timer)
    void search()
  }
  for (const input of [query, include]) {
    input.addEventListener('input', plan)
    input.addEventListener('keydown', ({ key, isComposing }) => key === 'Enter' && !isComposing && searchNow())
  }
  for (const option of Object.values(options)) option.addEventListener('click', searchNow)
  const searching = pace()
  let isStale = false
  const refresh = () => {
    isStale = query.value !== ''
    if (isStale && results.checkVisibility()) plan()
  }
  app.on('changed', refresh)
  app.on('outside', ({ isLook }) => {
    if (!isLook || searching.isDue() || !results.checkVisibility()) refresh()
  })
  app.on('panel', (name) => name === 'search' && isStale && plan())
  app.on('opened', clear)
  // The panel becomes visible only after all listeners have run, and a hidden field can't have the focus.
  app.on('panel', (name) => name === 'search' && queueMicrotask(() => query.focus()))

  function clear(): void {
    summary.textContent = ''
    replaceAll.disabled = true
    results.replaceChildren(emptyState('Search the workspace', 'Ignored and binary files are skipped and counted.'))
  }

  function globs(): string[] {
    return include.value
      .split(',')
      .map((glob) => glob.trim())
      .filter((glob) => glob !== '')
  }

  /** Replaces in all files as one change, after a question that says how much. */
  async function replace(): Promise<void> {
    const edit = editFor({
      find: query.value,
      replace: replacement.value,
      regex: pressed(options.regex),
      matchCase: pressed(options.matchCase),
      wholeWord: pressed(options.wholeWord),
    })
    const select = { include: globs(), exclude: ['.git'], ignore: { git: 'always' as const } }
    const input = { select, edits: [edit], detectEncoding: true }
    const { files } = app.workspace
    const places = (found: readonly { places: number }[]) => found.reduce((sum, file) => sum + file.places, 0)
    const planned = await app.attempt('replace', () => files.run('editFiles', { ...input, dryRun: true }))
    if (planned === undefined) return
    const expectedCount = places(planned.files)
    const what = `${count(expectedCount, 'place')} in ${count(planned.files.length, 'file')}`
    const isWanted = await confirmWith(
      `Replace ${what}?`,
      `“${query.value}” becomes “${replacement.value}”. It is one change, which you can undo.`,
      'Replace',
    )
    if (!isWanted) return
    const done = await app.attempt('replace', () => files.run('editFiles', { ...input, expectedCount }))
    if (done) app.notify(`Replaced ${what}`)
  }

  function count(number: number, noun: string): string {
    return `${number} ${noun}${number === 1 ? '' : 's'}`
  }

  async function search(): Promise<void> {
    turn += 1
    const own = turn
    isStale = false
    if (query.value === '') return clear()
    results.setAttribute('aria-busy', 'true')
    results.dataset.busy = 'Searching…'
    const found = await searching
      .run(() =>
        app.workspace.files.run('searchText', {
          include: globs(),
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
        }),
      )
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
    if (own !== turn) return
    results.removeAttribute('aria-busy')
    replaceAll.disabled = found instanceof Error || found.summary.matches === 0 || app.workspace.about.readOnly
    if (found instanceof Error) {
      summary.textContent = `Search failed: ${describe(found)}`
      results.replaceChildren()
      return
    }
    summary.textContent = describeTotals(found)
    results.replaceChildren(...found.files.map((file) => fileElement(app, file)))
  }

  clear()
  return h(
    'section',
    { class: 'panel search', 'aria-label': 'Search' },
    h(
      'div',
      { class: 'search-form' },
      query,
      h('div', { class: 'toggles' }, ...Object.values(options)),
      include,
      h('div', { class: 'replace' }, replacement, replaceAll),
    ),
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

interface Replacement {
  find: string
  replace: string
  regex: boolean
  matchCase: boolean
  wholeWord: boolean
}

/** The edit that changes what the search finds. */
export function editFor({ find, replace, regex, matchCase, wholeWord }: Replacement) {
  const shared = { caseInsensitive: !matchCase, count: 'all' as const, perLine: true }
  if (!regex && !wholeWord) return { kind: 'literal' as const, find, replace, ...shared }
  const source = regex ? find : find.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  const pattern = wholeWord ? `\\b(?:${source})\\b` : source
  // Only in a pattern of the user's, $1 and its like stand for something.
  return { kind: 'regex' as const, pattern, replace: regex ? replace : replace.replaceAll('$', '$$$$'), ...shared }
}
