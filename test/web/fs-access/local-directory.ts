import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { realDisk } from '../../real-disk.js'
import { chromiumOptions, patienceMs } from '../chromium.js'
import { servePage } from '../serve-page.js'

/** A page with write access to a real directory that was dropped on it. */
export interface LocalDirectory {
  page: Page
  directory: string
  close(): Promise<void>
}

export async function openLocalDirectory(): Promise<LocalDirectory> {
  const site = await servePage('local-page')
  try {
    const granted = await openWithDirectory(site.url)
    await granted.page.waitForFunction(() => 'testPage' in window)
    await drop(granted.page, granted.directory)
    const close = async () => {
      await granted.close()
      await site.close()
    }
    return { ...granted, close }
  } catch (error) {
    await site.close()
    throw error
  }
}

/**
 * Opens a page, and an empty directory that it may write to once dropped there. The picker can't be automated, but a
 * drop can, and returns the same kind of handle. Nobody can confirm the permission, so the browser profile grants it in
 * advance. The keys are Chromium's own.
 */
export async function openWithDirectory(url: string, { canWrite = true } = {}): Promise<LocalDirectory> {
  // Chromium refuses folders below /dev, where in-memory directories are.
  const temporary = await mkdtemp(join(realDisk, 'polyfs-local-'))
  const directory = join(temporary, 'project')
  const profile = join(temporary, 'profile')
  await mkdir(directory)
  let context: BrowserContext | undefined
  const close = async () => {
    await context?.close()
    await rm(temporary, { recursive: true, force: true })
  }
  try {
    await writeProfile(profile, canWrite ? grant(new URL(url).origin, directory) : refusal)
    context = await chromium.launchPersistentContext(profile, chromiumOptions)
    context.setDefaultTimeout(patienceMs)
    const page = await context.newPage()
    await page.goto(url)
    return { page, directory, close }
  } catch (error) {
    await close()
    throw error
  }
}

function grant(origin: string, path: string): object {
  const last_modified = '13380000000000000'
  const granted = { 'display-name': basename(path), 'is-directory': true, path, readable: true, writable: true }
  const exceptions = {
    file_system_access_chooser_data: { [`${origin},*`]: { last_modified, setting: { 'chosen-objects': [granted] } } },
    file_system_access_extended_permission: { [`${origin},*`]: { last_modified, setting: 1 } },
  }
  return { content_settings: { exceptions } }
}

/** Without a prompt: 2 is Chromium's value for "blocked". */
const refusal = { default_content_setting_values: { file_system_write_guard: 2 } }

async function writeProfile(profile: string, preferences: object): Promise<void> {
  await mkdir(join(profile, 'Default'), { recursive: true })
  await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify({ profile: preferences }))
}

/** Drops a file or a directory of the disk on the page. */
export async function drop(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 50, y: 50, data })
  }
}
