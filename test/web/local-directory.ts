import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { chromiumOptions } from './chromium.js'
import { servePage } from './serve-page.js'

/** A page that a real directory was dropped on, with the right to write to it. */
export interface LocalDirectory {
  page: Page
  directory: string
  close(): Promise<void>
}

/**
 * The picker can't be driven from outside, but a drop can, and gives the same kind of handle. Nobody is there to grant the
 * right to write, so the browser's profile says in advance that it was granted. The keys are Chromium's own.
 */
export async function openLocalDirectory(): Promise<LocalDirectory> {
  const temporary = await mkdtemp(join(tmpdir(), 'polyfs-local-'))
  const directory = join(temporary, 'project')
  const profile = join(temporary, 'profile')
  await mkdir(directory)
  const site = await servePage('local-page')
  let context: BrowserContext | undefined
  const close = async () => {
    await context?.close()
    await site.close()
    await rm(temporary, { recursive: true, force: true })
  }
  try {
    await writeProfile(profile, new URL(site.url).origin, directory)
    context = await chromium.launchPersistentContext(profile, chromiumOptions)
    const page = await context.newPage()
    await page.goto(site.url)
    await page.waitForFunction(() => 'testPage' in window)
    await drop(page, directory)
    return { page, directory, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function writeProfile(profile: string, origin: string, path: string): Promise<void> {
  const last_modified = '13380000000000000'
  const granted = { 'display-name': basename(path), 'is-directory': true, path, readable: true, writable: true }
  const exceptions = {
    file_system_access_chooser_data: { [`${origin},*`]: { last_modified, setting: { 'chosen-objects': [granted] } } },
    file_system_access_extended_permission: { [`${origin},*`]: { last_modified, setting: 1 } },
  }
  await mkdir(join(profile, 'Default'), { recursive: true })
  const preferences = { profile: { content_settings: { exceptions } } }
  await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences))
}

async function drop(page: Page, directory: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [directory], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 50, y: 50, data })
  }
}
