/** Opens files as tabs: text to edit, a picture, or a sentence why there is neither. */
import { basename } from '../../src/fs/path.js'
import type { App } from '../page/app.js'
import { emptyState, formatBytes, h } from '../page/dom.js'
import type { Tab } from './editor-tabs.js'
import type { FileText } from './file-text.js'

export interface FileTabs {
  open(path: string): Promise<Tab>
  /** A tab to edit a file that is not there any more. */
  openEmpty(path: string): Promise<Tab>
}

export interface FileTabsOptions {
  /** The name or the state of a tab has changed. */
  onState(): void
  /** The file of a tab can't be edited any more. */
  onUneditable(tab: Tab): void
}

/** Loaded with the first file. */
const loadEditing = () => import('./open-file.js')

export function fileTabs(app: App, { onState, onUneditable }: FileTabsOptions): FileTabs {
  async function textTab(path: string, version: { text: FileText; hash: string }): Promise<Tab> {
    const { openFile } = await loadEditing()
    const file = await openFile(app, { path, ...version, onState, onUneditable: () => onUneditable(tab) })
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

  return {
    async open(path) {
      const { size = 0, kind } = await app.workspace.files.run('describeEntry', { path })
      if (kind === 'directory') throw new Error(`${path} is a directory`)
      const { maxEditableBytes, readFileText } = await loadEditing()
      const tooLarge = size > maxEditableBytes
      const { text, hash } = tooLarge ? { text: undefined, hash: '' } : await readFileText(app, path)
      if (text !== undefined) return textTab(path, { text, hash })
      const picture = tooLarge ? undefined : await import('./image-view.js').then((it) => it.imageView(app, path))
      if (picture) return { path, ...picture, title: () => basename(path), hint: () => path }
      return uneditableTab(
        path,
        `${formatBytes(size)}, ${tooLarge ? 'too large to edit here' : 'not text'}. Tools can still read it.`,
      )
    },
    async openEmpty(path) {
      const { openFileText } = await import('./file-text.js')
      const text = openFileText(new Uint8Array())
      if (text === undefined) throw new Error('An empty file is text')
      return textTab(path, { text, hash: '' })
    },
  }
}

export function goneTab(path: string): Tab {
  return uneditableTab(path, 'This file was deleted. You can restore it from the history.')
}

function uneditableTab(path: string, text: string): Tab {
  const body = h('div', { class: 'editor' }, emptyState(basename(path), text))
  return { path, body, title: () => basename(path), hint: () => path, close: () => {} }
}
