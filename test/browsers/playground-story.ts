/** What someone does in the playground, step by step, in whichever browser. Each step goes on where the one before it ended. */
import { expect } from 'vitest'
import type { DrivenPage } from './driven-page.js'

export interface Scene {
  page: DrivenPage
  url: string
  /** Whether the browser stores files, so that a reload loses nothing. */
  stores: boolean
}

export interface Step {
  name: string
  run(scene: Scene): Promise<void>
}

const kept = 'Written by hand. '
const noStorage =
  'This browser stores no files for this page, so the sample project is in memory. Export a zip to keep your changes.'

export const story: readonly Step[] = [
  {
    name: 'opens on the sample project, and says where it is',
    async run({ page, url, stores }) {
      await page.goto(`${url}#fast=1`)
      await soon(() => texts(page, '.place')).toEqual([
        stores ? 'sample-project · in this browser' : 'Sample project · in memory',
      ])
      await soon(() => rows(page)).toEqual(['data', 'notes', 'src', 'README.md'])
      expect(await texts(page, '.notice.failed > span')).toEqual(stores ? [] : [noStorage])
    },
  },
  {
    name: 'edits a file by keyboard, which is saved',
    async run({ page }) {
      await click(page, '.row[data-path="/README.md"]')
      await click(page, '.cm-content[aria-label="/README.md"]')
      await page.press('Control+Home')
      await page.type(kept)
      await soon(() => readme(page)).toBe(`${kept}# Harbour`)
      await soon(() => texts(page, '.row[data-path="/README.md"] .badge')).toEqual(['M'])
    },
  },
  {
    name: 'calls a tool from the form',
    async run({ page }) {
      await click(page, '[role=tab]', 'Tools')
      await soon(() => texts(page, '.tools form button[type=submit]:enabled')).toEqual(['Call'])
      await click(page, '#field-path')
      await page.type('data/arrivals.csv')
      await click(page, '.tools form button[type=submit]')
      await soon(async () => (await texts(page, '.result pre'))[0] ?? '').toContain('Bellona,5.4')
    },
  },
  {
    name: 'runs a command in the terminal, and its file is in the tree',
    async run({ page }) {
      await click(page, '[role=tab]', 'Terminal')
      await soon(() => screen(page)).toContain('/ $')
      await click(page, '.xterm-screen')
      await page.type('sort README.md | wc -l > lines.txt; node -p 6*7')
      await page.press('Enter')
      await soon(() => screen(page)).toContain('42')
      await soon(() => rows(page)).toContain('lines.txt')
    },
  },
  {
    name: 'finds text in files',
    async run({ page }) {
      await click(page, '[role=tab]', 'Search')
      await click(page, 'input[type=search]')
      await page.type('allow for the tide')
      await soon(async () => (await texts(page, '.panel.search')).join()).toContain('berths.ts')
    },
  },
  {
    name: 'undoes the last change',
    async run({ page }) {
      await click(page, '[role=tab]', 'History')
      await click(page, 'button:enabled', 'Undo last')
      await click(page, '[role=tab]', 'Files')
      await soon(() => rows(page)).toEqual(['data', 'notes', 'src', 'README.md'])
      expect(await readme(page)).toBe(`${kept}# Harbour`)
    },
  },
  {
    name: 'answers calls of the browser’s console',
    async run({ page }) {
      const answer = await page.evaluate(async () => {
        const { polyfs: files } = globalThis as unknown as {
          polyfs: { callTool(name: string, args: object): Promise<{ content: Array<{ text: string }> }> }
        }
        return (await files.callTool('list_dir', { path: 'src' })).content[0]?.text
      })
      expect(answer).toContain('tides.ts')
    },
  },
  {
    name: 'offers a folder, and says so where the browser has no picker',
    async run({ page }) {
      if (await page.evaluate(() => 'showDirectoryPicker' in globalThis)) return
      await click(page, '.place')
      await click(page, 'dialog button', 'Folder on this computer…')
      await soon(async () => (await texts(page, '.notice.failed > span')).at(-1)).toBe(
        'Could not open a folder: this browser has no folder picker; use Chrome or Edge, or drop a zip',
      )
      await click(page, '.notice.failed:last-child button', undefined, 'Dismiss')
    },
  },
  {
    name: 'plays the demo to its end',
    async run({ page }) {
      await click(page, 'header button', 'Demo')
      await soon(() => texts(page, '.turn-end').then((all) => all.length)).toBe(1)
      const calls = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('.call')].map((call) => call.dataset.tool),
      )
      expect(calls).toEqual([
        ...['list_dir', 'grep', 'read_file', 'edit_file', 'edit_file', 'bash', 'git', 'git', 'git'],
        ...['delete', 'history', 'list_dir'],
      ])
      await soon(async () => (await texts(page, '.answer')).at(-1) ?? '').toContain('Done.')
    },
  },
  {
    name: 'after a reload has what was written where the browser stores files, and else begins anew',
    async run({ page, url, stores }) {
      // Away from the files of the demo.
      await page.goto('about:blank')
      await page.goto(`${url}#fast=1`)
      await soon(() => rows(page)).toEqual(['data', 'notes', 'src', 'README.md'])
      await page.reload()
      await soon(() => rows(page)).toEqual(['data', 'notes', 'src', 'README.md'])
      expect(await readme(page)).toBe(stores ? `${kept}# Harbour` : '# Harbour')
    },
  },
]

/** What is asked for takes a second or two; a loaded machine takes longer. */
function soon<Value>(read: () => Value | Promise<Value>) {
  return expect.poll(read, { timeout: 30_000, interval: 100 })
}

function texts(page: DrivenPage, selector: string): Promise<string[]> {
  return page.evaluate((css) => [...document.querySelectorAll(css)].map((each) => each.textContent ?? ''), selector)
}

/** Names in the tree, without badges and marks. */
function rows(page: DrivenPage): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.row')].map((row) => (row.dataset.path ?? '').replace(/^.*\//, '')),
  )
}

async function screen(page: DrivenPage): Promise<string> {
  return (await texts(page, '.xterm-accessibility-tree > div')).join('').replaceAll('\u00a0', ' ')
}

/** The first line of README.md, as an operation reads it. */
function readme(page: DrivenPage): Promise<string> {
  return page.evaluate(async () => {
    const { polyfs: files } = globalThis as unknown as {
      polyfs: { run(name: string, input: object): Promise<{ bytes: Uint8Array }> }
    }
    const { bytes } = await files.run('readBytes', { path: '/README.md' })
    return new TextDecoder().decode(bytes).split('\n')[0] ?? ''
  })
}

/** Clicks in the middle of the first element that is visible and has this text or label, once there is one. */
async function click(page: DrivenPage, selector: string, text?: string, label?: string): Promise<void> {
  const find = () =>
    page.evaluate(
      (css, wanted, name) => {
        for (const element of document.querySelectorAll(css)) {
          if (wanted !== null && element.textContent?.trim() !== wanted) continue
          if (name !== null && element.getAttribute('aria-label') !== name) continue
          element.scrollIntoView({ block: 'nearest' })
          const { x, y, width, height } = element.getBoundingClientRect()
          if (width > 0 && height > 0) return [x + width / 2, y + Math.min(height / 2, 300)]
        }
        return null
      },
      selector,
      text ?? null,
      label ?? null,
    )
  await soon(find).not.toBeNull()
  const [x = 0, y = 0] = (await find()) ?? []
  await page.click(x, y)
}
