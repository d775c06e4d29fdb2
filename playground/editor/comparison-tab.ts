/** A tab that shows the difference between two versions of a file. */
import { basename } from '../../src/fs/path.js'
import type { App, AppEvents } from '../page/app.js'
import { h } from '../page/dom.js'
import type { Tab } from './editor-tabs.js'

type Comparison = AppEvents['compare']

/** Those of the same name take each other's place. */
export function nameOf({ title, path }: Comparison): string {
  return `${title} ${path}`
}

/** Undefined when the editor can't be loaded; the user sees a message. */
export async function comparisonTab(app: App, comparison: Comparison): Promise<Tab | undefined> {
  const { path, title, about = title, load, ...versions } = comparison
  const loaded = await app.attempt('load the editor', () => import('./code-editor.js'))
  if (loaded === undefined) return undefined
  const place = h('div', { class: 'code' })
  let shown = versions
  let close = loaded.diffView(place, { path, ...shown })
  return {
    comparison: nameOf(comparison),
    body: h('div', { class: 'editor' }, h('div', { class: 'banner' }, `${path}: ${about}`), place),
    title: () => `± ${basename(path)}`,
    hint: () => nameOf(comparison),
    close: () => close(),
    async refresh() {
      const next = await load?.().catch(() => undefined)
      if (next === undefined || (next.before === shown.before && next.after === shown.after)) return
      shown = next
      close()
      close = loaded.diffView(place, { path, ...shown })
    },
  }
}
