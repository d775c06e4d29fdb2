/** The git repository of the workspace. No git program is involved. */

import { isFsError } from '../../src/errors.js'
import type { App } from '../page/app.js'
import { button, emptyState, h } from '../page/dom.js'
import { pace } from '../page/pace.js'
import { repositoryView } from './repository-view.js'

export function gitPanel(app: App): HTMLElement {
  const body = h('div', { class: 'git-body' })
  const view = repositoryView(app, { run, load })
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
      const names = branches.map(({ name }) => name)
      body.replaceChildren(...view.elements(status, log.commits, names))
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

  return h('section', { class: 'panel git', 'aria-label': 'Git' }, body)
}
