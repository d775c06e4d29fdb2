/** Open files and comparisons as tabs. Edits are saved automatically, and every save can be undone from the history. */
import type { ChangeRecord } from '../../src/change/journal/record.js'
import { basename, isWithin } from '../../src/fs/path.js'
import type { Stat } from '../../src/fs/types.js'
import type { FileEndpoint } from '../../web/endpoint/endpoint.js'
import { type Draft, keepDrafts, takeDrafts } from '../editor/drafts.js'
import type { FileText } from '../editor/file-text.js'
import { concerns, pathAfter } from '../editor/follow-moves.js'
import type { OpenFile } from '../editor/open-file.js'
import type { App, AppEvents } from '../page/app.js'
import { emptyState, formatBytes, h, iconButton } from '../page/dom.js'
import { isServerPage } from '../remote/server-of.js'
import { serverWelcome } from '../remote/server-welcome.js'
import { welcome } from './welcome.js'

interface Tab {
  title(): string
  /** Shown when the pointer is over the tab. */
  hint(): string
  body: HTMLElement
  /** The path of a file, also of one that can't be edited. */
  path?: string
  /** Absent for comparisons and for files that can't be edited. */
  file?: OpenFile
  /** How the file looked before it was last read, if that can be told from another version. */
  seen?: Stat
  /** What a comparison shows. */
  comparison?: string
  /** Reads again what a comparison shows. */
  refresh?(): Promise<void>
  close(): void
}

/** A file that was not changed for so long has another time when it is changed again. */
const settledMs = 3000

function isSameVersion(one: Stat, other: Stat): boolean {
  return (['kind', 'size', 'modifiedMs', 'changedMs', 'inode'] as const).every((key) => one[key] === other[key])
}

export function editorPanel(app: App): HTMLElement {
  const tabs: Tab[] = []
  let active: Tab | undefined
  let isRecovering = false
  /** Drafts that are not shown yet. */
  let waitingDrafts: Draft[] = []
  /** The files that were open in workspaces that come back. */
  const left = new WeakMap<FileEndpoint, string[]>()
  let shownFiles: FileEndpoint | undefined
  /** How many files were asked for; the last one is shown. */
  let asked = 0
  const bar = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Open files' })
  const area = h('div', { class: 'editor-area' })
  const start = isServerPage ? serverWelcome(app) : welcome(app)

  app.on('lost', () => {
    isRecovering = true
  })
  app.on('opened', (opened) => {
    if (isRecovering) {
      isRecovering = false
      shownFiles = opened.files
      // Saves what was typed in the meantime to the new worker.
      for (const { file } of tabs) void file?.reread()
      return
    }
    if (shownFiles !== undefined)
      left.set(
        shownFiles,
        tabs.flatMap(({ path }) => path ?? []),
      )
    for (const tab of tabs) tab.close()
    tabs.length = 0
    active = undefined
    draw()
    shownFiles = opened.files
    void restoreDrafts()
    void reopen(left.get(opened.files) ?? [])
  })
  app.on('show', (wanted) => void show(wanted))
  app.on('compare', (comparison) => void compare(comparison))
  app.on('changed', (record) => {
    for (const tab of [...tabs]) follow(tab, record)
    void active?.refresh?.()
  })
  app.on('outside', ({ paths, isLook }) => {
    for (const tab of [...tabs]) {
      if (tab.path === undefined || paths?.every((path) => !isWithin(path, tab.path ?? ''))) continue
      void (isLook ? readIfChanged(tab) : readAgain(tab))
    }
    void active?.refresh?.()
  })
  app.beforeLeaving(async () => {
    for (const { file } of [...tabs]) if (file && !(await file.mayClose())) return false
    return true
  })
  addEventListener('beforeunload', (event) => {
    if (tabs.some(({ file }) => file?.isUnsaved())) event.preventDefault()
    saveAll()
  })
  addEventListener('pagehide', () => {
    saveAll()
    const drafts = tabs.flatMap(({ file }) => file?.draft() ?? [])
    // The page may be left again before all drafts of the last time are shown.
    if (tabs.length > 0 || waitingDrafts.length > 0) keepDrafts(app.workspace, [...waitingDrafts, ...drafts])
  })
  document.addEventListener('visibilitychange', () => document.hidden && saveAll())

  function saveAll(): void {
    for (const { file } of tabs) void file?.save()
  }

  /** What was typed before the page was left is shown again, and saved where nobody else has changed the file. */
  async function restoreDrafts(): Promise<void> {
    waitingDrafts = takeDrafts(app.workspace)
    for (const draft of [...waitingDrafts]) {
      const { path } = draft
      const opened = tabs.find((tab) => tab.path === path) ?? (await open(path).catch(() => undefined))
      const tab = opened?.file ? opened : await openEmpty(path)
      if (!waitingDrafts.includes(draft)) return tab.close()
      if (!tabs.includes(tab)) tabs.push(tab)
      tab.file?.restoreDraft(draft)
      waitingDrafts = waitingDrafts.filter((each) => each !== draft)
      // Not before a tab that the user may be typing into.
      if (active === undefined) activate(tab)
      else draw()
    }
  }

  /** Opens the files that were open when the workspace was left. */
  async function reopen(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const { files } = app.workspace
      const tab = await open(path).catch(() => undefined)
      // Another workspace is shown meanwhile.
      if (files !== app.workspace.files) return tab?.close()
      if (tab === undefined || tabs.some((each) => each.path === path)) tab?.close()
      else tabs.push(tab)
    }
    const [first] = tabs
    if (active === undefined && first) activate(first)
    else draw()
  }

  /** A tab for a file that is not there any more. */
  async function openEmpty(path: string): Promise<Tab> {
    const { openFileText } = await import('../editor/file-text.js')
    const text = openFileText(new Uint8Array())
    if (text === undefined) throw new Error('An empty file is text')
    return fileTab(path, { text, hash: '' })
  }

  /** A tab stays with its file when that is moved, and shows what others write. */
  function follow(tab: Tab, record: ChangeRecord): void {
    if (tab.path === undefined) return
    const now = pathAfter(tab.path, record)
    if (now === tab.path) {
      if (concerns(record, now)) void (tab.file ? tab.file.reread() : rebuild(tab))
      return
    }
    const replaced = tabs.find((other) => other !== tab && other.path === now)
    if (replaced?.file?.isUnsaved() === false || (replaced && !replaced.file)) remove(replaced)
    tab.path = now
    tab.file?.follow(now)
    if (tab === active) history.replaceState(null, '', linkTo(now))
    if (tab.file === undefined) void rebuild(tab)
    draw()
  }

  async function readAgain(tab: Tab): Promise<void> {
    await (tab.file ? tab.file.reread() : rebuild(tab))
  }

  /** Looks first, because a file is large and seldom changed. */
  async function readIfChanged(tab: Tab): Promise<void> {
    const { path = '', file, seen } = tab
    const now = await app.workspace.files.run('describeEntry', { path }).catch(() => undefined)
    if (now !== undefined && seen !== undefined && isSameVersion(now, seen) && !file?.isUnsaved() && !file?.isDeleted)
      return
    // It was closed meanwhile, or another workspace is shown.
    if (!tabs.includes(tab)) return
    await readAgain(tab)
    const read = tabs.find((each) => each.path === path)
    // A file that was just changed may be changed again without a new time.
    if (read !== undefined && now !== undefined && Date.now() - (now.modifiedMs ?? Date.now()) > settledMs)
      read.seen = now
  }

  /** Opens the file of a tab again, because it can be edited now or can't be any more. */
  async function rebuild(tab: Tab): Promise<void> {
    const { path } = tab
    if (path === undefined) return
    const next = await open(path).catch(() => gone(path))
    const index = tabs.indexOf(tab)
    // Something may have been typed meanwhile; the next save then asks.
    if (index < 0 || tab.file?.isUnsaved()) return next.close()
    tab.close()
    tabs[index] = next
    if (active === tab) active = next
    draw()
  }

  function draw(): void {
    bar.replaceChildren(
      ...tabs.map((tab) => {
        const chosen = tab === active
        const isDeleted = tab.file?.isDeleted === true
        const title = `${tab.title()}${isDeleted ? ' (deleted)' : ''}`
        const name = h(
          'button',
          {
            type: 'button',
            role: 'tab',
            'aria-selected': String(chosen),
            title: tab.hint(),
            tabindex: chosen ? 0 : -1,
          },
          tab.file?.isUnsaved() ? `● ${title}` : title,
        )
        name.addEventListener('click', () => activate(tab))
        name.addEventListener('keydown', ({ key }) => {
          if (key === 'Delete') void closeTab(tab)
          const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
          const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length]
          if (step !== 0 && next) activate(next, true)
        })
        return h(
          'span',
          { class: `tab${chosen ? ' active' : ''}${isDeleted ? ' deleted' : ''}`, role: 'presentation' },
          name,
          // A `tablist` may contain only tabs, so this button is for pointers; the Delete key does the same.
          iconButton('×', `Close ${tab.title()} (Delete)`, () => void closeTab(tab), {
            'aria-hidden': 'true',
            tabindex: -1,
          }),
        )
      }),
    )
    const visible = active?.body ?? start
    if (area.firstChild !== visible) area.replaceChildren(visible)
  }

  function activate(tab: Tab, focusTab = false): void {
    active = tab
    draw()
    void tab.refresh?.()
    if (focusTab) bar.querySelector<HTMLElement>('[aria-selected=true]')?.focus()
    if (tab.path !== undefined) history.replaceState(null, '', linkTo(tab.path))
  }

  async function closeTab(tab: Tab): Promise<void> {
    if (tab.file?.isUnsaved()) activate(tab)
    if (tab.file && !(await tab.file.mayClose())) return
    remove(tab)
  }

  function remove(tab: Tab): void {
    const index = tabs.indexOf(tab)
    if (index < 0) return
    tab.close()
    tabs.splice(index, 1)
    if (active === tab) active = tabs[Math.min(index, tabs.length - 1)]
    draw()
  }

  async function show({ path, line, part, focus = false, changed }: AppEvents['show']): Promise<void> {
    asked += 1
    const turn = asked
    const { files } = app.workspace
    const known = () => tabs.find((each) => each.path === path)
    const opened = known() ?? (await app.attempt(`open ${path}`, () => open(path)))
    if (opened === undefined) return
    // Another workspace is shown meanwhile.
    if (files !== app.workspace.files) return opened.close()
    // Opening takes time, and the same file may have been asked for twice.
    const tab = known() ?? opened
    if (tab !== opened) opened.close()
    if (!tabs.includes(tab)) tabs.push(tab)
    // Another file was asked for meanwhile.
    if (turn !== asked) return draw()
    activate(tab)
    // Lines of the new text.
    if (changed !== undefined) await tab.file?.reread()
    if (line !== undefined) tab.file?.editor.showLine(line, part)
    if (changed !== undefined) tab.file?.editor.markLines(changed)
    if (focus) tab.file?.editor.focus()
  }

  async function open(path: string): Promise<Tab> {
    const { size = 0, kind } = await app.workspace.files.run('describeEntry', { path })
    if (kind === 'directory') throw new Error(`${path} is a directory`)
    const { maxEditableBytes, readFileText } = await loadEditing()
    const tooLarge = size > maxEditableBytes
    const { text, hash } = tooLarge ? { text: undefined, hash: '' } : await readFileText(app, path)
    if (text === undefined) {
      const picture = tooLarge
        ? undefined
        : await import('../editor/image-view.js').then((it) => it.imageView(app, path))
      if (picture) return { path, ...picture, title: () => basename(path), hint: () => path }
      return uneditable(
        path,
        `${formatBytes(size)}, ${tooLarge ? 'too large to edit here' : 'not text'}. Tools can still read it.`,
      )
    }
    return fileTab(path, { text, hash })
  }

  async function fileTab(path: string, version: { text: FileText; hash: string }): Promise<Tab> {
    const { openFile } = await loadEditing()
    const file = await openFile(app, {
      path,
      ...version,
      onState: draw,
      onUneditable: () => void rebuild(tab),
    })
    const tab: Tab = {
      path,
      file,
      body: file.body,
      title: () => basename(file.path),
      hint: () => file.path,
      close: () => file.close(),
    }
    return tab
  }

  function uneditable(path: string, text: string): Tab {
    const body = h('div', { class: 'editor' }, emptyState(basename(path), text))
    return { path, body, title: () => basename(path), hint: () => path, close: () => {} }
  }

  function gone(path: string): Tab {
    return uneditable(path, 'This file was deleted. You can restore it from the history.')
  }

  async function compare({ path, title, about = title, load, ...versions }: AppEvents['compare']): Promise<void> {
    const comparison = `${title} ${path}`
    const existing = tabs.find((tab) => tab.comparison === comparison)
    if (existing) remove(existing)
    const loaded = await app.attempt('load the editor', () => import('../editor/code-editor.js'))
    if (loaded === undefined) return
    const place = h('div', { class: 'code' })
    const body = h('div', { class: 'editor' }, h('div', { class: 'banner' }, `${path}: ${about}`), place)
    let shown = versions
    let close = loaded.diffView(place, { path, ...shown })
    const tab: Tab = {
      comparison,
      body,
      title: () => `± ${basename(path)}`,
      hint: () => comparison,
      close: () => close(),
      async refresh() {
        const next = await load?.().catch(() => undefined)
        if (next === undefined || (next.before === shown.before && next.after === shown.after)) return
        shown = next
        close()
        close = loaded.diffView(place, { path, ...shown })
      },
    }
    tabs.push(tab)
    activate(tab)
  }

  draw()
  return h('section', { class: 'panel editors', 'aria-label': 'Editor' }, bar, area)
}

/** Loaded with the first file. */
const loadEditing = () => import('../editor/open-file.js')

/** A link to this page with this file open. */
export function linkTo(path: string): string {
  const parameters = new URLSearchParams(location.hash.slice(1))
  parameters.set('file', path)
  return `#${parameters}`
}
