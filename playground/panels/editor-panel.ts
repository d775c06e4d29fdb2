/** Open files as tabs. Edits are saved automatically, and every save can be undone from the history. */
import { contentHash } from '../../src/change/hash.js'
import { isFsError } from '../../src/errors.js'
import { basename } from '../../src/fs/path.js'
import type { CodeEditor } from '../editor/code-editor.js'
import type { App, AppEvents } from '../page/app.js'
import { button, emptyState, formatBytes, h, iconButton } from '../page/dom.js'

interface Tab {
  /** The path of a file, or the title of a comparison. */
  key: string
  title: string
  body: HTMLElement
  close(): void | Promise<void>
  file?: OpenFile
}

interface OpenFile {
  path: string
  hash: string
  edited: boolean
  editor: CodeEditor
  banner: HTMLElement
  /** The last of the saves, which run one after another. */
  saving: Promise<void>
}

/** Delay after the last key press. */
const saveAfterMs = 800
/** Larger files can't be edited here. */
const maxEditableBytes = 2_000_000

export function editorPanel(app: App): HTMLElement {
  const tabs: Tab[] = []
  let active: Tab | undefined
  let isRecovering = false
  const bar = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Open files' })
  const area = h('div', { class: 'editor-area' })

  app.on('lost', () => {
    isRecovering = true
  })
  app.on('opened', () => {
    if (isRecovering) {
      isRecovering = false
      // Saves what was typed in the meantime to the new worker.
      for (const { file } of tabs) if (file) void (file.edited ? save(file) : reread(file))
      return
    }
    for (const tab of [...tabs]) void tab.close()
    tabs.length = 0
    active = undefined
    draw()
  })
  app.on('show', (wanted) => void show(wanted))
  app.on('compare', (comparison) => void compare(comparison))
  app.on('changed', ({ steps }) => {
    const paths = new Set(steps.flatMap((step) => [step.path, ...(step.do === 'rename' ? [step.to] : [])]))
    for (const { file } of tabs) if (file && paths.has(file.path)) void reread(file)
  })
  app.beforeLeaving(saveAll)
  addEventListener('beforeunload', (event) => {
    if (tabs.some(({ file }) => file?.edited)) event.preventDefault()
    void saveAll()
  })
  addEventListener('pagehide', () => void saveAll())
  document.addEventListener('visibilitychange', () => document.hidden && void saveAll())

  async function saveAll(): Promise<void> {
    await Promise.all(tabs.map(({ file }) => file && save(file)))
  }

  function draw(): void {
    bar.replaceChildren(
      ...tabs.map((tab) => {
        const chosen = tab === active
        const name = h(
          'button',
          { type: 'button', role: 'tab', 'aria-selected': String(chosen), title: tab.key, tabindex: chosen ? 0 : -1 },
          tab.file?.edited ? `● ${tab.title}` : tab.title,
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
          { class: `tab${chosen ? ' active' : ''}`, role: 'presentation' },
          name,
          // A `tablist` may contain only tabs, so this button is for pointers; the Delete key does the same.
          iconButton('×', `Close ${tab.title} (Delete)`, () => void closeTab(tab), {
            'aria-hidden': 'true',
            tabindex: -1,
          }),
        )
      }),
    )
    const visible = active?.body ?? welcome()
    if (area.firstChild !== visible) area.replaceChildren(visible)
  }

  function welcome(): HTMLElement {
    return emptyState(
      'Nothing is open',
      'Choose a file on the left. Edits are saved as you type, and the history records every version, whether you, a tool or the shell made it.',
      button('Find a file…', () => app.emit('panel', 'palette')),
    )
  }

  function activate(tab: Tab, focusTab = false): void {
    active = tab
    draw()
    if (focusTab) bar.querySelector<HTMLElement>('[aria-selected=true]')?.focus()
    if (tab.file) history.replaceState(null, '', linkTo(tab.file.path))
  }

  async function closeTab(tab: Tab): Promise<void> {
    if (tab.file) await save(tab.file)
    await tab.close()
    const index = tabs.indexOf(tab)
    tabs.splice(index, 1)
    if (active === tab) active = tabs[Math.min(index, tabs.length - 1)]
    draw()
  }

  async function show({ path, line, focus = false }: AppEvents['show']): Promise<void> {
    const existing = tabs.find(({ key }) => key === path)
    const tab = existing ?? (await app.attempt(`open ${path}`, () => open(path)))
    if (tab === undefined) return
    if (existing === undefined) tabs.push(tab)
    activate(tab)
    if (line !== undefined) tab.file?.editor.showLine(line)
    if (focus) tab.file?.editor.focus()
  }

  async function open(path: string): Promise<Tab> {
    const { files, about } = app.workspace
    const { size = 0, kind } = await files.run('describeEntry', { path })
    if (kind === 'directory') throw new Error(`${path} is a directory`)
    const tooLarge = size > maxEditableBytes
    const { text, hash } = tooLarge ? { text: undefined, hash: '' } : await readText(path)
    const body = h('div', { class: 'editor' })
    const tab: Tab = { key: path, title: basename(path), body, close: () => {} }
    if (text === undefined) {
      body.append(
        emptyState(
          basename(path),
          `${formatBytes(size)}, ${tooLarge ? 'too large to edit here' : 'not text'}. Tools can still read it.`,
        ),
      )
      return tab
    }
    const { codeEditor } = await import('../editor/code-editor.js')
    const banner = h('div', { class: 'banner', role: 'status', hidden: true })
    const place = h('div', { class: 'code' })
    body.append(banner, place)
    let timer: ReturnType<typeof setTimeout> | undefined
    const editor = codeEditor(place, {
      path,
      text,
      readOnly: about.readOnly,
      onEdited() {
        file.edited = true
        draw()
        clearTimeout(timer)
        timer = setTimeout(() => void save(file), saveAfterMs)
      },
      onSave: () => void save(file),
    })
    const file: OpenFile = { path, hash, edited: false, editor, banner, saving: Promise.resolve() }
    tab.file = file
    tab.close = () => {
      clearTimeout(timer)
      editor.close()
    }
    return tab
  }

  async function readText(path: string): Promise<{ text?: string; hash: string }> {
    const { bytes } = await app.workspace.files.run('readBytes', { path })
    const hash = await contentHash(bytes)
    if (bytes.subarray(0, 8000).includes(0)) return { hash }
    try {
      return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), hash }
    } catch {
      // Not shown, because saving would turn other encodings into UTF-8.
      return { hash }
    }
  }

  function save(file: OpenFile): Promise<void> {
    file.saving = file.saving.then(() => saveNow(file))
    return file.saving
  }

  /** Overwrites only the version that was edited, so that changes by others are never lost. */
  async function saveNow(file: OpenFile, overwrite = false): Promise<void> {
    if (!file.edited) return
    const content = file.editor.text()
    const { files } = app.workspace
    try {
      const expected = overwrite ? {} : { expectedHash: file.hash }
      await files.run('writeFiles', {
        files: [{ path: file.path, content, ...expected }],
        makeParents: true,
      })
      file.hash = await contentHash(new TextEncoder().encode(content))
      // The file counts as edited until a reload can't lose it; a full disk is reported separately.
      await files.flush().catch(() => {})
      file.edited = file.editor.text() !== content
      file.banner.hidden = true
      draw()
    } catch (error) {
      if (isFsError(error, 'STALE', 'NOT_FOUND')) return askWhichVersion(file)
      // When the worker has failed, its replacement gets the text.
      if (await Promise.race([files.ended, undefined])) return
      await app.attempt(`save ${file.path}`, () => Promise.reject(error))
    }
  }

  async function reread(file: OpenFile): Promise<void> {
    await file.saving
    const now = await readText(file.path).catch(() => undefined)
    if (now === undefined || now.hash === file.hash) return
    if (file.edited) return askWhichVersion(file)
    file.hash = now.hash
    if (now.text !== undefined) file.editor.setText(now.text)
  }

  function askWhichVersion(file: OpenFile): void {
    file.banner.replaceChildren(
      h('span', {}, 'Someone else changed this file while you were editing it.'),
      button('Keep mine', () => void saveNow(file, true)),
      button('Use theirs', () => {
        file.edited = false
        file.banner.hidden = true
        void reread(file).then(draw)
      }),
    )
    file.banner.hidden = false
  }

  async function compare({
    path,
    before,
    after,
    title,
  }: {
    path: string
    before: string
    after: string
    title: string
  }) {
    const key = `${title} ${path}`
    const existing = tabs.find((tab) => tab.key === key)
    if (existing) await closeTab(existing)
    const loaded = await app.attempt('load the editor', () => import('../editor/code-editor.js'))
    if (loaded === undefined) return
    const body = h('div', { class: 'editor' })
    const place = h('div', { class: 'code' })
    body.append(h('div', { class: 'banner' }, `${path}: ${title}`), place)
    const close = loaded.diffView(place, { path, before, after })
    const tab = { key, title: `± ${basename(path)}`, body, close }
    tabs.push(tab)
    activate(tab)
  }

  draw()
  return h('section', { class: 'panel editors', 'aria-label': 'Editor' }, bar, area)
}

/** A link to this page with this file open. */
export function linkTo(path: string): string {
  const parameters = new URLSearchParams(location.hash.slice(1))
  parameters.set('file', path)
  return `#${parameters}`
}
