/** Adds files of the computer to the workspace. */
import { join } from '../../src/fs/path.js'
import type { App } from './app.js'
import { choose } from './dialogs.js'

/** Writes files into a directory; asks what to do with names that are taken. */
export async function addFiles(app: App, files: readonly File[], directory: string): Promise<void> {
  const { entries } = await app.workspace.files.run('listDirectory', { path: directory })
  const taken = new Set(entries.map(({ name }) => name))
  const clashing = files.filter(({ name }) => taken.has(name))
  const answer = clashing.length === 0 ? 'Keep both' : await askAbout(clashing, directory)
  if (answer === undefined) return
  const wanted = answer === 'Skip' ? files.filter(({ name }) => !taken.has(name)) : files
  const written = await Promise.all(
    wanted.map(async (file) => {
      const isReplaced = answer === 'Replace' && taken.has(file.name)
      const name = isReplaced ? file.name : freeName(...stemAndEnding(file.name), taken)
      taken.add(name)
      const content = new Uint8Array(await file.arrayBuffer())
      return { path: join(directory, name), content, ...(!isReplaced && { expect: 'new' as const }) }
    }),
  )
  if (written.length === 0) return
  await app.workspace.files.run('writeFiles', { files: written })
  app.notify(`${written.length} ${written.length === 1 ? 'file' : 'files'} added`)
}

function askAbout(clashing: readonly File[], directory: string): Promise<'Replace' | 'Keep both' | 'Skip' | undefined> {
  const [first] = clashing
  const what = clashing.length === 1 && first ? first.name : `${clashing.length} names`
  return choose(
    `${what} ${clashing.length === 1 ? 'is' : 'are'} taken`,
    `${directory} already has ${clashing
      .slice(0, 5)
      .map(({ name }) => name)
      .join(', ')}${clashing.length > 5 ? ' and others' : ''}. What is replaced stays in the history.`,
    ['Skip', 'Keep both', 'Replace'],
  )
}

/** The name, or the first with a number that is not taken. */
export function freeName(stem: string, ending: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const name = `${stem}${number === 1 ? '' : ` ${number}`}${ending}`
    if (!taken.has(name)) return name
  }
}

function stemAndEnding(name: string): [stem: string, ending: string] {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
}

/** The directory of the tree row at a place of the page; undefined elsewhere. */
export function directoryAt(x: number, y: number): string | undefined {
  const row = document.elementFromPoint(x, y)?.closest<HTMLElement>('.row')
  const path = row?.dataset.path
  if (path === undefined) return undefined
  return row?.classList.contains('directory') ? path : path.slice(0, path.lastIndexOf('/')) || '/'
}
