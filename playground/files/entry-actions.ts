/** What the user can do with the entries of the file tree. */
import { basename, dirname, join } from '../../src/fs/path.js'
import type { App } from '../page/app.js'
import { askFor, confirmWith } from '../page/dialogs.js'
import { download } from '../page/dom.js'
import { freeName } from '../page/dropped-files.js'
import type { Row } from './tree-rows.js'

/** Asks for the name. */
export async function createEntry(app: App, kind: 'file' | 'directory', directory: string): Promise<void> {
  const what = kind === 'file' ? 'file' : 'folder'
  const name = await askFor(`New ${what} in ${directory}`, { label: 'Name', accept: `Create ${what}` })
  if (!name) return
  const path = join(directory, name)
  await app.attempt(`create ${path}`, async () => {
    const { files } = app.workspace
    if (kind === 'directory') await files.run('makeDirectory', { path })
    else await files.run('writeFiles', { files: [{ path, content: '', expect: 'new' }], makeParents: true })
    if (kind === 'file') app.emit('show', { path })
  })
}

/** Asks for the new path. */
export async function renameEntry(app: App, { path }: Row): Promise<void> {
  const to = await askFor('Rename or move', { label: 'New path', value: path, accept: 'Move' })
  if (to && to !== path) await moveEntry(app, path, to)
}

export async function moveEntry(app: App, from: string, to: string): Promise<void> {
  await app.attempt(`move ${from}`, () => app.workspace.files.run('moveEntry', { from, to, makeParents: true }))
}

/** Copies it beside itself, under a name that is free. */
export async function duplicateEntry(app: App, { path, kind }: Row): Promise<void> {
  const dot = kind === 'file' ? basename(path).lastIndexOf('.') : -1
  const name = basename(path)
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  await app.attempt(`copy ${path}`, async () => {
    const { entries } = await app.workspace.files.run('listDirectory', { path: dirname(path) })
    const copy = freeName(`${stem} copy`, ending, new Set(entries.map((entry) => entry.name)))
    await app.workspace.files.run('copyEntry', { from: path, to: join(dirname(path), copy) })
  })
}

/** Asks first. */
export async function deleteEntry(app: App, { path, kind }: Row): Promise<void> {
  const what = kind === 'directory' ? `${path} and everything in it` : path
  if (!(await confirmWith(`Delete ${what}?`, 'You can restore it from the history.', 'Delete'))) return
  await app.attempt(`delete ${path}`, () =>
    app.workspace.files.run('deleteEntry', { path, recursive: kind === 'directory' }),
  )
}

export async function downloadFile(app: App, { path, name }: Row): Promise<void> {
  await app.attempt(`download ${path}`, async () => {
    const { bytes } = await app.workspace.files.run('readBytes', { path })
    download(name, bytes as BlobPart)
  })
}
