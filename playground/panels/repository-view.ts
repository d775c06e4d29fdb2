/** A repository on the screen: its branches, what was changed, and the newest commits. */
import type { ChangedPath, GitStatus } from '../../src/git/commands/status.js'
import type { App, Versions } from '../page/app.js'
import { askFor, confirmWith } from '../page/dialogs.js'
import { button, h, iconButton } from '../page/dom.js'
import { type Commit, commitElement } from './commit-view.js'

export interface RepositoryView {
  /** All of it, drawn anew; what was typed as the message of a commit stays. */
  elements(status: GitStatus, commits: readonly Commit[], branches: readonly string[]): HTMLElement[]
}

export interface RepositoryViewOptions {
  /** Runs what the user wants, and then reads the repository again. */
  run(what: string, action: () => Promise<unknown>): Promise<void>
  /** Reads the repository again. */
  load(): Promise<void>
}

/** What a comparison is between; that of the work tree has neither. */
interface Sides {
  from?: 'head' | 'index'
  to?: 'index'
}

export function repositoryView(app: App, { run, load }: RepositoryViewOptions): RepositoryView {
  const message = h('textarea', {
    rows: 2,
    placeholder: 'What did you change, and why?',
    'aria-label': 'Commit message',
  })

  function elements(status: GitStatus, commits: readonly Commit[], branches: readonly string[]): HTMLElement[] {
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
    return parts.filter((part) => part !== undefined && part !== false)
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
    sides: Sides | undefined,
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

  async function show(path: string, sides: Sides | undefined): Promise<void> {
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

  return { elements }
}

/** Without a difference the two versions are the same. */
function versions(difference: { textBefore?: string; textAfter?: string } | undefined): Versions {
  return { before: difference?.textBefore ?? '', after: difference?.textAfter ?? '' }
}
