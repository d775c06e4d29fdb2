/** Opening and exporting workspaces. */
import { sampleProject } from '../../src/sample-project.js'
import { sourceOf } from '../../web/engine/file-source.js'
import { openDirectory } from '../../web/fs-access/open-directory.js'
import { allowDirectory, rememberDirectory, rememberedDirectories } from '../../web/fs-access/remembered-directories.js'
import { removeOpfs } from '../../web/opfs/remove-opfs.js'
import type { App } from './app.js'
import { askFor, confirmWith, showDialog } from './dialogs.js'
import { button, download, h } from './dom.js'
import { addFiles, directoryAt } from './dropped-files.js'
import type { Place } from './place.js'

const sampleName = 'sample-project'

/**
 * The place a link names. Undefined for an unknown link, and for a folder that needs the user's permission first; the
 * user is notified of that.
 */
export async function placeOfLink(app: App, link: string | null): Promise<Place | undefined> {
  if (link === 'memory') return samplePlace()
  if (link === `opfs:${sampleName}`) return storedSamplePlace()
  if (link?.startsWith('opfs:')) return opfsPlace(link.slice('opfs:'.length))
  if (!link?.startsWith('folder:')) return undefined
  const name = link.slice('folder:'.length)
  const known = await rememberedDirectories().catch(() => [])
  const handle = known.find((folder) => folder.name === name)?.handle
  if (handle !== undefined && (await permissionOf(handle)) === 'granted') return folderPlace(handle)
  if (handle !== undefined) askAgain(app, handle)
  else {
    const action = { label: 'Choose folder…', run: () => void openFolder(app) }
    app.notify(`This page has not opened the folder ${name} before.`, 'failed', action)
  }
  return undefined
}

/** The browser grants access to a folder only right after a click. */
function askAgain(app: App, handle: FileSystemDirectoryHandle): void {
  const action = { label: 'Allow again', run: () => void openKnown(app, handle) }
  app.notify(`The browser no longer lets this page use the folder ${handle.name}.`, 'failed', action)
}

/** Notifies the user when access to the open folder is withdrawn, and offers to restore it. */
export function watchPermission(app: App): void {
  app.on('denied', ({ source }) => 'directory' in source && askAgain(app, source.directory))
}

/**
 * Opens the sample project: in the browser's storage where there is one, so that a reload loses nothing, else in memory, and says so.
 * Storage is missing in some browsers, and in private windows of others.
 */
export async function openFirst(app: App): Promise<void> {
  try {
    await navigator.storage.getDirectory()
    await app.open(storedSamplePlace())
  } catch {
    await app.open(samplePlace())
    app.notify(
      'This browser stores no files for this page, so the sample project is in memory. Export a zip to keep your changes.',
      'failed',
    )
  }
}

/** The sample project in the browser's storage: its changes survive a reload. */
function storedSamplePlace(): Place {
  return { ...opfsPlace(sampleName), source: { opfs: sampleName, packed: true, seed: sampleProject } }
}

export function samplePlace(): Place {
  return { title: 'Sample project', kind: 'memory', source: { memory: sampleProject } }
}

export function opfsPlace(name: string): Place {
  return { title: name, kind: 'opfs', source: { opfs: name, packed: true } }
}

function folderPlace(handle: FileSystemDirectoryHandle, readOnly = false): Place {
  return { title: handle.name, kind: 'folder', source: { directory: handle, readOnly } }
}

/** The link that opens the place again. Places in memory have none of their own, so theirs opens the sample. */
export function placeLink({ kind, title }: Place): string {
  if (kind === 'server') return kind
  return kind === 'opfs' || kind === 'folder' ? `${kind}:${title}` : 'memory'
}

export async function openAny(app: App, place: Place): Promise<void> {
  if (await mayLeave(app)) await app.attempt(`open ${place.title}`, () => app.open(place))
}

/** Asks the user before changes that are only in memory are lost. */
export async function mayLeave(app: App): Promise<boolean> {
  if (!app.hasUnsaved()) return true
  return confirmWith(
    `Leave ${app.workspace.title}?`,
    'Its changes are only in memory and will be lost. Export a zip first to keep them.',
    'Leave',
  )
}

/** Shows the dialog that opens a workspace. */
export async function choosePlace(app: App): Promise<void> {
  const known = await rememberedDirectories().catch(() => [])
  const all = await storedNames()
  const stored = all.filter((name) => name !== sampleName)
  const isSampleStored = all.includes(sampleName)
  const act = (
    label: string,
    text: string,
    run: () => void,
    other?: { label: string; name: string; run: () => void },
  ) => {
    const closing = (then: () => void) => () => {
      dialog.close()
      then()
    }
    return h(
      'li',
      {},
      button(label, closing(run)),
      h('small', {}, text),
      other && button(other.label, closing(other.run), { 'aria-label': other.name }),
    )
  }
  const zip = h('input', { type: 'file', accept: '.zip,application/zip', hidden: true })
  zip.addEventListener('change', () => {
    const [file] = zip.files ?? []
    dialog.close()
    if (file) void openZip(app, file)
  })
  const dialog = showDialog(
    'Open a workspace',
    h(
      'ul',
      { class: 'choices' },
      act(
        'Sample project',
        'Stored in this browser, with its history.',
        () => void openAny(app, storedSamplePlace()),
        isSampleStored
          ? { label: 'Reset', name: 'Reset the sample project', run: () => void deleteStored(app, sampleName) }
          : undefined,
      ),
      act(
        'Sample project, new copy',
        'In memory only; lost when you close the page.',
        () => void openAny(app, samplePlace()),
      ),
      act(
        'Empty, in memory',
        'To try something quickly.',
        () => void openAny(app, { title: 'Empty', kind: 'memory', source: { memory: {} } }),
      ),
      act('In this browser…', 'Stored in this browser under a name you choose.', () => void openStored(app)),
      act('Folder on this computer…', 'The browser asks for your permission first.', () => void openFolder(app)),
      act('Git repository…', 'Cloned from its address into memory.', () => void openClone(app)),
      h(
        'li',
        {},
        button('Zip file…', () => zip.click()),
        zip,
        h(
          'small',
          {},
          'Unpacked into memory; the zip file is not changed. You can also drop one anywhere on the page.',
        ),
      ),
    ),
    ...(stored.length > 0
      ? [
          h('h3', {}, 'In this browser'),
          h(
            'ul',
            { class: 'choices' },
            ...stored.map((name) =>
              act(name, 'stored in this browser', () => void openAny(app, opfsPlace(name)), {
                label: 'Delete',
                name: `Delete ${name}`,
                run: () => void deleteStored(app, name),
              }),
            ),
          ),
        ]
      : []),
    ...(known.length > 0
      ? [
          h('h3', {}, 'Recent folders'),
          h(
            'ul',
            { class: 'choices' },
            ...known.map(({ name, handle }) =>
              act(name, 'the browser may ask for permission again', () => void openKnown(app, handle)),
            ),
          ),
        ]
      : []),
    h(
      'div',
      { class: 'actions' },
      button('Close', () => dialog.close()),
    ),
  )
}

async function storedNames(): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const [name, { kind }] of (await navigator.storage.getDirectory()).entries()) {
      if (kind === 'directory' && !name.startsWith('.')) names.push(name)
    }
  } catch {
    // Without this storage there are no names to list.
  }
  return names.sort()
}

/** Deletes a workspace of the browser's storage with its history. One that is open is closed first. */
async function deleteStored(app: App, name: string): Promise<void> {
  const isSample = name === sampleName
  const title = isSample ? 'Reset the sample project?' : `Delete ${name}?`
  const text =
    'Its files and its history are deleted from this browser. This can’t be undone; export a zip first to keep them.'
  if (!(await confirmWith(title, text, isSample ? 'Reset' : 'Delete'))) return
  await app.attempt(isSample ? 'reset the sample' : `delete ${name}`, async () => {
    const isOpen = app.workspace.kind === 'opfs' && app.workspace.title === name
    const { files } = app.workspace
    if (isOpen) {
      await app.open(samplePlace())
      await files.ended
    }
    await removeOpfs(name)
    if (isSample) await app.open(storedSamplePlace())
    app.notify(isSample ? 'The sample is as it was at first' : `${name} was deleted`)
  })
}

async function openStored(app: App): Promise<void> {
  const name = await askFor('Workspace in this browser', { label: 'Name', value: 'project', accept: 'Open' })
  if (name) await openAny(app, opfsPlace(name))
}

async function openFolder(app: App): Promise<void> {
  const fs = await app.attempt('open a folder', () => openDirectory())
  const source = fs && sourceOf(fs)
  if (source && 'directory' in source) await openPicked(app, source.directory)
}

async function openKnown(app: App, handle: FileSystemDirectoryHandle): Promise<void> {
  await app.attempt(`use ${handle.name}`, () => openPicked(app, handle))
}

async function openPicked(app: App, handle: FileSystemDirectoryHandle): Promise<void> {
  const canWrite = await allowDirectory(handle, 'readwrite').then(
    () => true,
    () => false,
  )
  if (!canWrite) await allowDirectory(handle, 'read')
  await rememberDirectory(handle).catch(() => {})
  await openAny(app, folderPlace(handle, !canWrite))
  if (!canWrite) app.notify(`${handle.name} is read-only. Open it again and allow changes to edit it.`, 'failed')
}

/** The dialog that clones is loaded when it is first wanted. */
export async function openClone(app: App): Promise<void> {
  await app.attempt('load the dialog', async () => {
    const { askForRepository } = await import('../clone/clone-dialog.js')
    askForRepository(app, () => mayLeave(app))
  })
}

async function openZip(app: App, file: File): Promise<void> {
  if (!(await mayLeave(app))) return
  await app.attempt(`open ${file.name}`, async () => {
    const zip = new Uint8Array(await file.arrayBuffer())
    await app.open({ title: file.name, kind: 'zip', source: { zip } })
  })
}

/** A dropped folder or zip file becomes the workspace; other files are added to it. */
export function acceptDrops(app: App): void {
  document.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  document.addEventListener('drop', (event) => {
    const items = [...(event.dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file')
    if (items.length === 0) return
    event.preventDefault()
    // Items are valid only until this handler returns.
    const dropped = items.map((item) => ({ file: item.getAsFile(), handle: handleOf(item) }))
    const into = directoryAt(event.clientX, event.clientY) ?? app.workspace.about.root
    void app.attempt('open the dropped files', () => openDropped(app, dropped, into))
  })
}

interface Dropped {
  file: File | null
  handle: Promise<FileSystemHandle | null>
}

async function openDropped(app: App, dropped: Dropped[], into: string): Promise<void> {
  const files: File[] = []
  for (const { file, handle } of dropped) {
    const found = await handle
    if (found?.kind === 'directory') return openPicked(app, found as FileSystemDirectoryHandle)
    if (file !== null && /\.zip$/i.test(file.name) && dropped.length === 1) return openZip(app, file)
    if (file !== null) files.push(file)
  }
  await addFiles(app, files, into)
}

function handleOf(item: DataTransferItem): Promise<FileSystemHandle | null> {
  const { getAsFileSystemHandle } = item as { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> }
  return getAsFileSystemHandle?.call(item) ?? Promise.resolve(null)
}

async function permissionOf(handle: FileSystemDirectoryHandle): Promise<PermissionState | undefined> {
  return (handle as { queryPermission?(options: object): Promise<PermissionState> }).queryPermission?.({
    mode: 'readwrite',
  })
}

export async function exportZip(app: App): Promise<void> {
  await app.attempt('export the workspace', async () => {
    download(`${exportName(app)}.zip`, (await app.workspace.files.exportZip()) as BlobPart, 'application/zip')
  })
}

export async function exportPatch(app: App): Promise<void> {
  await app.attempt('export a patch', async () => {
    const patch = await app.workspace.files.exportPatch()
    if (patch === '') return app.notify('Nothing has changed, so there is no patch to export')
    download(`${exportName(app)}.patch`, patch, 'text/x-diff')
    if (/^# omitted/m.test(patch)) app.notify('The patch leaves out binary files; export a zip to get them', 'failed')
  })
}

/** Without the ending of the archive that was opened. */
function exportName({ workspace: { title, kind } }: App): string {
  return kind === 'zip' ? title.replace(/\.zip$/i, '') : title
}
