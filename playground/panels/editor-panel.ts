/** Open files and comparisons as tabs. Edits are saved automatically, and every save can be undone from the history. */
import { comparisonTab, nameOf } from '../editor/comparison-tab.js'
import { editorTabs } from '../editor/editor-tabs.js'
import { fileTabs } from '../editor/file-tabs.js'
import { followFiles } from '../editor/follow-files.js'
import { keepTabs } from '../editor/keep-tabs.js'
import type { App, AppEvents } from '../page/app.js'
import { h } from '../page/dom.js'
import { isServerPage } from '../remote/server-of.js'
import { serverWelcome } from '../remote/server-welcome.js'
import { welcome } from './welcome.js'

export function editorPanel(app: App): HTMLElement {
  /** How many files were asked for; the last one is shown. */
  let asked = 0
  const tabs = editorTabs(isServerPage ? serverWelcome(app) : welcome(app))
  const ofFiles = fileTabs(app, { onState: tabs.draw, onUneditable: (tab) => void followed.rebuild(tab) })
  const followed = followFiles(app, tabs, ofFiles)
  keepTabs(app, tabs, ofFiles)

  app.on('show', (wanted) => void show(wanted))
  app.on('compare', (comparison) => void compare(comparison))
  app.on('changed', (record) => {
    followed.follow(record)
    void tabs.active?.refresh?.()
  })
  app.on('outside', (outside) => {
    followed.look(outside)
    void tabs.active?.refresh?.()
  })

  async function show({ path, line, part, focus = false, changed }: AppEvents['show']): Promise<void> {
    asked += 1
    const turn = asked
    const { files } = app.workspace
    const opened = tabs.ofPath(path) ?? (await app.attempt(`open ${path}`, () => ofFiles.open(path)))
    if (opened === undefined) return
    // Another workspace is shown meanwhile.
    if (files !== app.workspace.files) return opened.close()
    // Opening takes time, and the same file may have been asked for twice.
    const tab = tabs.ofPath(path) ?? opened
    if (tab !== opened) opened.close()
    tabs.add(tab)
    // Another file was asked for meanwhile.
    if (turn !== asked) return tabs.draw()
    tabs.activate(tab)
    // Lines of the new text.
    if (changed !== undefined) await tab.file?.reread()
    if (line !== undefined) tab.file?.editor.showLine(line, part)
    if (changed !== undefined) tab.file?.editor.markLines(changed)
    if (focus) tab.file?.editor.focus()
  }

  async function compare(wanted: AppEvents['compare']): Promise<void> {
    const existing = tabs.all.find(({ comparison }) => comparison === nameOf(wanted))
    if (existing) tabs.remove(existing)
    const tab = await comparisonTab(app, wanted)
    if (tab === undefined) return
    tabs.add(tab)
    tabs.activate(tab)
  }

  return h('section', { class: 'panel editors', 'aria-label': 'Editor' }, ...tabs.elements)
}
