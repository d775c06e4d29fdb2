/** A commit in the log, which opens to show who made it, why, and what it changed. */
import type { CommitResult } from '../../src/git/commands/commit.js'
import type { App } from '../page/app.js'
import { button, h } from '../page/dom.js'

export type Commit = CommitResult['commit']

/** How many paths of one commit are shown. */
const maxPaths = 200

export function commitElement(app: App, commit: Commit): HTMLElement {
  const { oid, message, author } = commit
  const [subject = ''] = message.split('\n')
  const details = h(
    'details',
    { class: 'one-commit' },
    h('summary', {}, h('code', {}, oid.slice(0, 7)), h('span', {}, subject)),
  )
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) void fill()
  })
  return h('li', { title: author.name }, details)

  async function fill(): Promise<void> {
    const shown = await app.attempt('read the commit', () => app.workspace.files.run('gitShow', { revision: oid }))
    if (shown?.kind !== 'commit' || details.children.length > 1) return
    const { files: changes } = shown
    const body = message.slice(subject.length).trim()
    details.append(
      h(
        'p',
        { class: 'when' },
        `${author.name} <${author.email}>, ${new Date(author.timestamp * 1000).toLocaleString()}`,
      ),
      body === '' ? '' : h('pre', {}, body),
      h(
        'ul',
        { class: 'paths' },
        ...changes.slice(0, maxPaths).map((change) => {
          const { path, binary, textBefore = '', textAfter = '' } = change
          const open = () =>
            binary
              ? app.notify(`${path} is binary`)
              : app.emit('compare', { path, before: textBefore, after: textAfter, title: oid.slice(0, 7) })
          return h(
            'li',
            { class: change.change },
            button(path, open, { class: 'path' }),
            h('span', { class: 'what' }, change.change),
          )
        }),
      ),
      h('p', { class: 'summary', hidden: changes.length <= maxPaths }, `and ${changes.length - maxPaths} more`),
    )
  }
}
