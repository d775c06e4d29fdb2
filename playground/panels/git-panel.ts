/** The git repository of the workspace. No git program is involved. */

import { isFsError } from '../../src/errors.js'
import type { ChangedPath, GitStatus } from '../../src/git/commands/status.js'
import type { App, Versions } from '../page/app.js'
import { askFor, confirmWith } from '../page/dialogs.js'
import { button, emptyState, h, iconButton } from '../page/dom.js'
import { pace } from '../page/pace.js'
import { type Commit, commitElement } from './commit-view.js'

export function gitPanel(app: App): HTMLElement {
  const body = h('div', { class: 'git-body' })
  const message = h('textarea', {
    rows: 2,
    placeholder: 'What did you change, and why?',
    'aria-label': 'Commit message',
  })
  const loading = pace()
  let isStale = true
  let isLoading = false
  /** What is drawn, as text: what did not change is not drawn again, because a button that is replaced loses its click. */
  let drawn = ''

  app.on('opened', () => stale())
  app.on('changed', () => stale())
  app.on('outside', ({ isLook }) => {
    if (!isLook || loading.isDue() || !body.checkVisibility()) stale()
  })
  app.on('panel', (name) => {
    if (name === 'git' && isStale) void load()
  })

  /** Status takes time to compute, so it is loaded only while the panel is visible. */
  function stale(): void {
    isStale = true
    if (body.checkVisibility()) void load()
  }

  /** One at a time: of two at once, the one that began before a change could be drawn last. */
  async function load(): Promise<void> {
    isStale = true
    if (isLoading) return
    isLoading = true
    do {
      isStale = false
      await loading.run(loadOnce)
    } while (isStale && body.checkVisibility())
    isLoading = false
  }

  async function loadOnce(): Promise<void> {
    const { files } = app.workspace
    try {
      const status = await files.run('gitStatus', { untracked: 'all' })
      const log = status.head === undefined ? { commits: [] } : await files.run('gitLog', { limit: 30 })
      const branches = await files.run('gitBranches', {})
      const found = JSON.stringify({ status, log, branches })
      if (isStale || found === drawn) return
      drawn = found
      draw(
        status,
        log.commits,
        branches.map(({ name }) => name),
      )
    } catch (error) {
      // Read again, perhaps from another workspace that was opened meanwhile.
      if (isStale) return
      drawn = ''
      if (!isFsError(error, 'NOT_A_REPOSITORY'))
        return void app.attempt('read the repository', () => Promise.reject(error))
      body.replaceChildren(
        emptyState(
          'No repository',
          'Git runs in this page, and the git program can read the result.',
          button('Initialize repository', () => void run('initialize', () => app.workspace.files.run('gitInit', {}))),
        ),
      )
    }
  }

  async function run(what: string, action: () => Promise<unknown>): Promise<void> {
    await app.attempt(what, action)
    // A control that shows what was asked for may have to show again what is.
    drawn = ''
    await load()
  }

  function draw(status: GitStatus, commits: readonly Commit[], branches: string[]): void {
    const { staged, unstaged, untracked, branch = 'no branch' } = status
    const choice = h(
      'select',
      { 'aria-label': 'Branch' },
      ...branches.map((name) => h('option', { value: name, selected: name === branch }, name)),
    )
    choice.addEventListener(
      'change',
      () => void run('check out', () => app.workspace.files.run('gitCheckout', { revision: choice.value })),
    )
    const parts = [
      h(
        'div',
        { class: 'toolbar' },
        branches.length > 0 ? choice : h('span', {}, branch),
        button('New branch…', () => void newBranch()),
      ),
      commitForm(staged.length > 0),
      group(
        'Staged',
        staged,
        (path) => [
          iconButton(
            '−',
            `Unstage ${path}`,
            () => void run('unstage', () => app.workspace.files.run('gitRestore', { paths: [path], staged: true })),
          ),
        ],
        { from: 'head', to: 'index' },
      ),
      group(
        'Changed',
        unstaged,
        (path) => [
          iconButton(
            '+',
            `Stage ${path}`,
            () => void run('stage', () => app.workspace.files.run('gitAdd', { paths: [path] })),
          ),
          iconButton('↺', `Discard changes to ${path}`, () => void discard(path)),
        ],
        {},
      ),
      group(
        'Untracked',
        untracked.map((path) => ({ path, change: 'added' as const })),
        (path) => [
          iconButton(
            '+',
            `Stage ${path}`,
            () => void run('stage', () => app.workspace.files.run('gitAdd', { paths: [path] })),
          ),
        ],
        undefined,
      ),
      staged.length + unstaged.length + untracked.length === 0 && h('p', { class: 'summary' }, 'Nothing to commit.'),
      h('h3', {}, 'Log'),
      h('ol', { class: 'log' }, ...commits.map((commit) => commitElement(app, commit))),
    ]
    body.replaceChildren(...parts.filter((part) => part !== undefined && part !== false))
  }

  function commitForm(hasStaged: boolean): HTMLElement {
    const form = h(
      'form',
      { class: 'commit' },
      message,
      h(
        'div',
        { class: 'actions' },
        button('Stage all', () => void run('stage', () => app.workspace.files.run('gitAdd', { all: true }))),
        h('button', { type: 'submit', class: 'primary', disabled: !hasStaged }, 'Commit'),
      ),
    )
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void commit()
    })
    return form
  }

  async function commit(): Promise<void> {
    const author = { name: 'Playground', email: 'playground@localhost' }
    const done = await app.attempt('commit', () =>
      app.workspace.files.run('gitCommit', { message: message.value, author }),
    )
    if (done) message.value = ''
    await load()
  }

  function group(
    title: string,
    changes: ChangedPath[],
    actions: (path: string) => HTMLElement[],
    sides: { from?: 'head' | 'index'; to?: 'index' } | undefined,
  ): HTMLElement | undefined {
    if (changes.length === 0) return undefined
    return h(
      'details',
      { open: true },
      h('summary', {}, title, h('span', { class: 'count' }, String(changes.length))),
      h(
        'ul',
        { class: 'paths' },
        ...changes.map(({ path, change }) =>
          h(
            'li',
            { class: change },
            button(path, () => void show(path, sides), { class: 'path' }),
            h('span', { class: 'what' }, change),
            ...actions(path),
          ),
        ),
      ),
    )
  }

  async function show(path: string, sides: { from?: 'head' | 'index'; to?: 'index' } | undefined): Promise<void> {
    const { root } = await app.workspace.files.run('gitStatus', {})
    if (sides === undefined) return app.emit('show', { path: `${root === '/' ? '' : root}/${path}` })
    const differences = await app.attempt('compare', () =>
      app.workspace.files.run('gitDiff', { ...sides, paths: [path] }),
    )
    const [difference] = differences ?? []
    if (difference?.binary) return app.notify(`${path} is binary`)
    const title = sides.to === 'index' ? 'staged' : 'not staged'
    const load = async () => versions((await app.workspace.files.run('gitDiff', { ...sides, paths: [path] }))[0])
    if (difference) app.emit('compare', { path, ...versions(difference), title, load })
  }

  async function discard(path: string): Promise<void> {
    if (!(await confirmWith(`Discard the changes to ${path}?`, 'You can restore them from the history.', 'Discard')))
      return
    await run('discard', () => app.workspace.files.run('gitRestore', { paths: [path] }))
  }

  async function newBranch(): Promise<void> {
    const name = await askFor('New branch', { label: 'Name', accept: 'Create and check out' })
    if (name) await run('create a branch', () => app.workspace.files.run('gitCheckout', { create: name }))
  }

  return h('section', { class: 'panel git', 'aria-label': 'Git' }, body)
}

/** Without a difference the two versions are the same. */
function versions(difference: { textBefore?: string; textAfter?: string } | undefined): Versions {
  return { before: difference?.textBefore ?? '', after: difference?.textAfter ?? '' }
}
