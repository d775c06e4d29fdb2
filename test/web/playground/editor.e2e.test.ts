import { type Browser, chromium } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../../scale.js'
import { chromiumOptions } from '../chromium.js'
import { complaints, openPlayground, type Playground, soon } from './playground-page.js'
import { type PlaygroundSite, servePlayground } from './serve-playground.js'

let site: PlaygroundSite
let browser: Browser

beforeAll(async () => {
  ;[site, browser] = await Promise.all([servePlayground(), chromium.launch(chromiumOptions)])
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(complaints.splice(0)).toEqual([])
})

async function open(hash = '#workspace=memory&fast=1'): Promise<Playground> {
  return openPlayground(browser, site.url + hash)
}

/** Types at the start of an open file. */
async function typeAtStart({ page }: Playground, path: string, text: string): Promise<void> {
  await page.locator(`.cm-content[aria-label="${path}"]`).click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type(text)
}

const bytesOf = ({ call }: Playground, path: string) => call('bash', { command: `od -An -tx1 ${path}` })

describe('the bytes of a file', () => {
  test('that were not typed over stay: line endings, encoding and byte-order mark', async () => {
    const playground = await open()
    const { page, show, call } = playground
    const files = {
      'dos.txt': ['one\\r\\ntwo\\r\\n', 'UTF-8 · CRLF', '58 6f 6e 65 0d 0a 74 77 6f 0d 0a'],
      'latin1.txt': ['caf\\xe9\\n', 'Windows-1252 · LF', '58 63 61 66 e9 0a'],
      'marked.txt': ['\\xef\\xbb\\xbfone\\n', 'UTF-8 · with byte-order mark · LF', 'ef bb bf 58 6f 6e 65 0a'],
      'wide.txt': [
        '\\xff\\xfea\\x00\\r\\x00\\n\\x00',
        'UTF-16 LE · with byte-order mark · CRLF',
        'ff fe 58 00 61 00 0d 00 0a 00',
      ],
    }
    const made = Object.entries(files).map(([name, [content]]) => `printf '${content}' > ${name}`)
    await call('bash', { command: made.join('; ') })
    for (const [name, [, format, expected]] of Object.entries(files)) {
      await show(`/${name}`)
      expect(await page.locator('.status').textContent()).toBe(format)
      await typeAtStart(playground, `/${name}`, 'X')
      await soon(async () => (await bytesOf(playground, name)).trim()).toBe(expected)
    }
  })

  longTest('that are not text are not editable', async () => {
    const { page, row, call } = await open()
    await call('bash', { command: "printf 'a\\0b\\xff' > raw.bin" })
    await row('/raw.bin').click()
    await page.getByText('4 B, not text. Tools can still read it.').waitFor()
    expect(await page.locator('.cm-content').count()).toBe(0)
    await call('bash', { command: "printf 'words' > raw.bin" })
    await soon(() => page.locator('.cm-content').textContent()).toBe('words')
  })

  longTest('stay as they are while the encoding lacks a typed character, and the page asks', async () => {
    const playground = await open()
    const { page, show, call } = playground
    await call('bash', { command: "printf 'caf\\xe9\\n' > latin1.txt" })
    const text = await show('/latin1.txt')
    await text.click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.insertText('→')
    await page.getByText('Not saved: Windows-1252, the encoding of this file, has no “→”.').waitFor()
    expect((await bytesOf(playground, 'latin1.txt')).trim()).toBe('63 61 66 e9 0a')
    await page.getByRole('button', { name: 'Close latin1.txt (Delete)', includeHidden: true }).click()
    const dialog = page.locator('dialog[open]')
    expect(await dialog.locator('p').textContent()).toContain('has no “→”')
    await dialog.getByRole('button', { name: 'Save as UTF-8' }).click()
    await soon(async () => (await bytesOf(playground, 'latin1.txt')).trim()).toBe('e2 86 92 63 61 66 c3 a9 0a')
    await soon(() => page.locator('.cm-content').count()).toBe(0)
  })
})

describe('a file that was typed into and changed by someone else', () => {
  async function inConflict(): Promise<Playground> {
    const playground = await open()
    const { page, show, call } = playground
    await page.clock.install()
    await show('/README.md')
    // Timers are paused, so the edit is not saved yet.
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await typeAtStart(playground, '/README.md', 'mine ')
    await call('write_file', { path: 'README.md', content: 'theirs\n' })
    await page.getByText('Someone else changed this file while you were editing it.').waitFor()
    await page.clock.resume()
    return playground
  }

  const closing = { name: 'Close README.md (Delete)', includeHidden: true }

  test('is not closed without a question, which also compares', async () => {
    const { page, call } = await inConflict()
    const dialog = page.locator('dialog[open]')
    await page.getByRole('button', closing).click()
    expect(await dialog.locator('h2').textContent()).toBe('Close /README.md?')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.locator('.cm-content').textContent()).toContain('mine # Harbour')
    await page.getByRole('button', closing).click()
    await dialog.getByRole('button', { name: 'Compare' }).click()
    await soon(() => page.locator('.cm-changedLine').first().textContent()).toBe('mine # Harbour')
    await soon(() => page.locator('.cm-deletedLine').first().textContent()).toBe('theirs')
    // The comparison follows both versions.
    await call('write_file', { path: 'README.md', content: 'theirs again\n' })
    await soon(() => page.locator('.cm-deletedLine').first().textContent()).toBe('theirs again')
    await page.getByRole('button', closing).first().click()
    await dialog.getByRole('button', { name: 'Keep mine' }).click()
    await soon(() => call('read_file', { path: 'README.md', limit: 1 })).toContain('mine # Harbour')
    await soon(() => page.getByRole('tab', { name: /README/ }).allTextContents()).toEqual(['± README.md'])
  })

  longTest('takes theirs when asked to', async () => {
    const { page, call } = await inConflict()
    await page.getByRole('button', closing).click()
    await page.locator('dialog[open]').getByRole('button', { name: 'Take theirs' }).click()
    await soon(() => page.getByRole('tab', { name: /README/ }).count()).toBe(0)
    expect(await call('read_file', { path: 'README.md' })).toBe('1\ttheirs')
  })

  longTest('keeps the workspace open until it is decided', async () => {
    const { page, call } = await inConflict()
    const empty = page.getByRole('button', { name: 'Empty, in memory', exact: true })
    const openEmpty = async () => {
      await page.locator('.place').click()
      await empty.click()
      await page.getByRole('button', { name: 'Leave', exact: true }).click()
    }
    await openEmpty()
    await page.getByRole('heading', { name: 'Close /README.md?' }).waitFor()
    await page.locator('dialog[open]').getByRole('button', { name: 'Cancel' }).click()
    expect(await page.locator('.cm-content').textContent()).toContain('mine # Harbour')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await soon(() => call('read_file', { path: 'README.md', limit: 1 })).toContain('mine # Harbour')
    await openEmpty()
    await page.getByText('No files yet').waitFor()
  })
})

describe('an open file that is moved', () => {
  const tabs = ({ page }: Playground) =>
    page
      .locator('.editors')
      .getByRole('tab')
      .evaluateAll((all) => all.map((each) => each.getAttribute('title')))

  longTest('keeps its tab, whoever moves it, and is saved at its new place', async () => {
    const playground = await open()
    const { page, show, call, answer, row, rows, type, panel, failures } = playground
    await show('/README.md')
    await page.getByRole('tree').focus()
    await page.keyboard.press('F2')
    await answer('/GUIDE.md', 'Move')
    await soon(() => tabs(playground)).toEqual(['/GUIDE.md'])
    await typeAtStart(playground, '/GUIDE.md', 'One. ')
    await soon(() => call('read_file', { path: 'GUIDE.md', limit: 1 })).toContain('One. # Harbour')
    await call('move', { from: 'GUIDE.md', to: 'docs/GUIDE.md' })
    await soon(() => tabs(playground)).toEqual(['/docs/GUIDE.md'])
    await call('move', { from: 'docs', to: 'manual' })
    await soon(() => tabs(playground)).toEqual(['/manual/GUIDE.md'])
    await typeAtStart(playground, '/manual/GUIDE.md', 'Two. ')
    await soon(() => call('read_file', { path: 'manual/GUIDE.md', limit: 1 })).toContain('Two. One. # Harbour')
    await panel('Terminal')
    await soon(() => page.locator('.xterm-accessibility').textContent()).toContain('/ $')
    await type('mv manual/GUIDE.md GUIDE.txt && rmdir manual')
    await soon(() => tabs(playground)).toEqual(['/GUIDE.txt'])
    await call('history', { action: 'undo' })
    await soon(() => tabs(playground)).toEqual(['/manual/GUIDE.md'])
    await typeAtStart(playground, '/manual/GUIDE.md', 'Three. ')
    await soon(() => call('read_file', { path: 'manual/GUIDE.md', limit: 1 })).toContain('Three. Two. One. # Harbour')
    await soon(rows).not.toContain('README.md')
    expect(await row('/GUIDE.txt').count()).toBe(0)
    expect(await page.locator('.banner:visible').count()).toBe(0)
    expect(await failures()).toEqual([])
    expect(page.url()).toContain('file=%2Fmanual%2FGUIDE.md')
  })

  longTest('takes what was typed and not saved yet along', async () => {
    const playground = await open()
    const { page, show, call } = playground
    await page.clock.install()
    await show('/README.md')
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await typeAtStart(playground, '/README.md', 'Typed. ')
    await call('move', { from: 'README.md', to: 'notes/first.md' })
    await page.clock.resume()
    await soon(() => call('read_file', { path: 'notes/first.md', limit: 1 })).toContain('Typed. # Harbour')
    await soon(() => tabs(playground)).toEqual(['/notes/first.md'])
    expect(await call('read_file', { path: 'README.md' })).toContain('not_found')
  })

  longTest('shows when it is deleted, and comes back', async () => {
    const playground = await open()
    const { page, show, call, failures } = playground
    const tab = page.locator('.editors').getByRole('tab')
    await show('/README.md')
    await call('delete', { path: 'README.md' })
    await soon(() => tab.allTextContents()).toEqual(['README.md (deleted)'])
    await page.getByText('This file was deleted.', { exact: true }).waitFor()
    await call('history', { action: 'undo' })
    await soon(() => tab.allTextContents()).toEqual(['README.md'])
    await call('delete', { path: 'README.md' })
    await page.getByRole('button', { name: 'Restore it' }).click()
    await soon(() => call('read_file', { path: 'README.md', limit: 1 })).toContain('# Harbour')
    await soon(() => tab.allTextContents()).toEqual(['README.md'])
    // Typed after the deletion: a question, and the file is not there again without an answer.
    await call('delete', { path: 'README.md' })
    await soon(() => tab.allTextContents()).toEqual(['README.md (deleted)'])
    await typeAtStart(playground, '/README.md', 'Typed. ')
    await page.getByText('This file was deleted while you were editing it.').waitFor()
    expect(await call('read_file', { path: 'README.md' })).toContain('not_found')
    await page.getByRole('button', { name: 'Close README.md (Delete)', includeHidden: true }).click()
    await page.locator('dialog[open]').getByRole('button', { name: 'Keep mine' }).click()
    await soon(() => call('read_file', { path: 'README.md', limit: 1 })).toContain('Typed. # Harbour')
    await soon(() => tab.count()).toBe(0)
    expect(await failures()).toEqual([])
  })
})
