/** What the tree and a file were like at a point in time. Nothing is changed by looking. */

import { join } from '../../src/fs/path.js'
import type { Difference } from '../../src/ops/history/read-history.js'
import type { App } from '../page/app.js'
import { button, h } from '../page/dom.js'

/** How many files are listed. */
const maxFiles = 300
const maxFound = 20_000

export interface Then {
  path: string
  /** How it differs from now. */
  since?: 'deleted' | 'modified'
}

/** The files at a point: those of now, without what was added since, and with what was deleted since. */
export function filesThen(now: readonly string[], differences: readonly Difference[]): Then[] {
  const since = new Map(differences.map((each) => [each.path, each]))
  const kept = now.filter((path) => since.get(path)?.before.kind !== 'absent')
  const deleted = differences.filter(({ before, after }) => before.kind === 'file' && after.kind === 'absent')
  const all = [...new Set([...kept, ...deleted.map(({ path }) => path)])].sort()
  return all.map((path): Then => {
    const difference = since.get(path)
    if (difference === undefined) return { path }
    return { path, since: difference.after.kind === 'absent' ? 'deleted' : 'modified' }
  })
}

/** The tree at a point as a list; a file that was different opens beside what it is now. */
export async function previewOf(app: App, point: string, title: string): Promise<HTMLElement> {
  const { files } = app.workspace
  const [{ path: root, entries }, differences] = await Promise.all([
    files.run('findFiles', { exclude: ['.git'], limit: maxFound }),
    files.run('compareVersions', { since: point }),
  ])
  const outsideGit = differences.filter(({ path }) => !/\/\.git(\/|$)/.test(path))
  const then = filesThen(
    entries.filter(({ kind }) => kind === 'file').map(({ path }) => join(root, path)),
    outsideGit,
  )
  const shown = shownFile()
  const difference = outsideGit.find(({ path }) => path === shown)
  if (difference) void compareWithNow(app, difference, title)
  const different = then.filter(({ since }) => since !== undefined)
  const same = then.filter(({ since }) => since === undefined)
  return h(
    'details',
    { open: true, class: 'then' },
    h('summary', {}, 'Files at this point', h('span', { class: 'count' }, String(then.length))),
    h(
      'ul',
      { class: 'paths' },
      ...[...different, ...same].slice(0, maxFiles).map(({ path, since }) =>
        h(
          'li',
          { class: since ?? '' },
          button(path, () => open(path), { class: 'path', title: since ? 'Compare with now' : 'The same as now' }),
          since && h('span', { class: 'what' }, `${since} since`),
        ),
      ),
    ),
    h('p', { class: 'summary', hidden: then.length <= maxFiles }, `and ${then.length - maxFiles} more`),
  )

  function open(path: string): void {
    const found = outsideGit.find((each) => each.path === path)
    if (found) void compareWithNow(app, found, title)
    else app.emit('show', { path })
  }
}

async function compareWithNow(app: App, { path, bytesBefore, bytesAfter }: Difference, title: string): Promise<void> {
  const { openFileText } = await import('../editor/file-text.js')
  const decode = (bytes?: Uint8Array) => (bytes === undefined ? '' : (openFileText(bytes)?.text ?? '(not text)'))
  // The same title at every point, so that moving the slider reuses the tab.
  const [before, after] = [decode(bytesBefore), decode(bytesAfter)]
  app.emit('compare', { path, before, after, title: 'then and now', about: title })
}

/** The file that the editor shows: the address of the page names it. */
function shownFile(): string | undefined {
  return new URLSearchParams(location.hash.slice(1)).get('file') ?? undefined
}
