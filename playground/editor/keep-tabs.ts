/** Keeps what is open, and what was typed, when the workspace or the page is left, or the worker fails. */
import type { FileEndpoint } from '../../web/endpoint/endpoint.js'
import type { App } from '../page/app.js'
import { type Draft, keepDrafts, takeDrafts } from './drafts.js'
import type { EditorTabs, Tab } from './editor-tabs.js'
import type { FileTabs } from './file-tabs.js'

export function keepTabs(app: App, tabs: EditorTabs, { open, openEmpty }: FileTabs): void {
  let isRecovering = false
  /** Drafts that are not shown yet. */
  let waitingDrafts: Draft[] = []
  /** The files that were open in workspaces that come back. */
  const left = new WeakMap<FileEndpoint, string[]>()
  let shownFiles: FileEndpoint | undefined

  app.on('lost', () => {
    isRecovering = true
  })
  app.on('opened', (opened) => {
    if (isRecovering) {
      isRecovering = false
      shownFiles = opened.files
      // Saves what was typed in the meantime to the new worker.
      for (const { file } of tabs.all) void file?.reread()
      return
    }
    if (shownFiles !== undefined)
      left.set(
        shownFiles,
        tabs.all.flatMap(({ path }) => path ?? []),
      )
    tabs.clear()
    shownFiles = opened.files
    void restoreDrafts()
    void reopen(left.get(opened.files) ?? [])
  })
  app.beforeLeaving(async () => {
    for (const { file } of [...tabs.all]) if (file && !(await file.mayClose())) return false
    return true
  })
  addEventListener('beforeunload', (event) => {
    if (tabs.all.some(({ file }) => file?.isUnsaved())) event.preventDefault()
    saveAll()
  })
  addEventListener('pagehide', () => {
    saveAll()
    const drafts = tabs.all.flatMap(({ file }) => file?.draft() ?? [])
    // The page may be left again before all drafts of the last time are shown.
    if (tabs.all.length > 0 || waitingDrafts.length > 0) keepDrafts(app.workspace, [...waitingDrafts, ...drafts])
  })
  document.addEventListener('visibilitychange', () => document.hidden && saveAll())

  function saveAll(): void {
    for (const { file } of tabs.all) void file?.save()
  }

  /** What was typed before the page was left is shown again, and saved where nobody else has changed the file. */
  async function restoreDrafts(): Promise<void> {
    waitingDrafts = takeDrafts(app.workspace)
    for (const draft of [...waitingDrafts]) {
      const { path } = draft
      const tab = await tabForDraft(path)
      if (!waitingDrafts.includes(draft)) return tabs.all.includes(tab) ? undefined : tab.close()
      tabs.add(tab)
      tab.file?.restoreDraft(draft)
      waitingDrafts = waitingDrafts.filter((each) => each !== draft)
      // Not before a tab that the user may be typing into.
      if (tabs.active === undefined) tabs.activate(tab)
      else tabs.draw()
    }
  }

  /** Never one with text of its own: two files with drafts may have become one by a move, and somebody may be typing already. */
  async function tabForDraft(path: string): Promise<Tab> {
    const free = () => tabs.all.find((tab) => tab.path === path && tab.file?.isUnsaved() === false)
    const opened = free() ?? (await open(path).catch(() => undefined))
    const tab = opened?.file ? opened : await openEmpty(path)
    // It may have been opened in another way meanwhile.
    const shown = free()
    if (shown === undefined || shown === tab) return tab
    tab.close()
    return shown
  }

  /** Opens the files that were open when the workspace was left. */
  async function reopen(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const { files } = app.workspace
      const tab = await open(path).catch(() => undefined)
      // Another workspace is shown meanwhile.
      if (files !== app.workspace.files) return tab?.close()
      if (tab === undefined || tabs.ofPath(path)) tab?.close()
      else tabs.add(tab)
    }
    const [first] = tabs.all
    if (tabs.active === undefined && first) tabs.activate(first)
    else tabs.draw()
  }
}
