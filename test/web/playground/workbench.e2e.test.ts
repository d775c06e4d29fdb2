import { mkdtemp, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { zipBytes } from '../../core/archive/zip-bytes.js'
import { longTest, sample, scaled, testInTurn } from '../../scale.js'
import { chromiumOptions } from '../chromium.js'
import { drop, openWithDirectory } from '../fs-access/local-directory.js'
import { complaints, openPlayground, type Playground, playgroundOn, soon, watch } from './playground-page.js'
import { type PlaygroundSite, servePlayground } from './serve-playground.js'

let site: PlaygroundSite
let browser: Browser
let directory: string

beforeAll(async () => {
  ;[site, browser, directory] = await Promise.all([
    servePlayground(),
    chromium.launch(chromiumOptions),
    mkdtemp(join(tmpdir(), 'polyfs-dropped-')),
  ])
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
  await rm(directory, { recursive: true, force: true })
})

afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(complaints.splice(0)).toEqual([])
})

const inMemory = '#workspace=memory&fast=1'

async function open(hash = inMemory, options = {}): Promise<Playground> {
  return openPlayground(browser, site.url + hash, options)
}

describe('the editor', () => {
  test.each(sample(['light', 'dark'] as const))(
    'shows a selection on the current line, and a legible find bar: %s',
    async (colorScheme) => {
      const { page, show } = await open(inMemory, { colorScheme })
      const text = await show('/README.md')
      await text.click()
      await page.keyboard.press('Control+Home')
      await page.keyboard.press('Shift+End')
      const line = await page
        .locator('.cm-activeLine')
        .first()
        .evaluate((each) => getComputedStyle(each).backgroundColor)
      const [, alpha = '1'] = /rgba\(.*, ([\d.]+)\)$/.exec(line) ?? /\/ ([\d.]+)\)$/.exec(line) ?? []
      expect(Number(alpha)).toBeLessThan(0.2)
      expect(await page.locator('.cm-selectionBackground').count()).toBeGreaterThan(0)
      await page.keyboard.press('Control+f')
      await page.locator('.cm-search').waitFor()
      for (const part of ['.cm-search .cm-button', '.cm-search .cm-textfield']) {
        expect([part, await contrastOf(page, part)]).toEqual([part, expect.toSatisfy((ratio: number) => ratio > 4.5)])
      }
    },
  )
})

/** The contrast of an element's text to its background, and that there is no picture behind the text. */
function contrastOf(page: Page, selector: string): Promise<number> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { color, backgroundColor, backgroundImage } = getComputedStyle(element)
      if (backgroundImage !== 'none') return 0
      const luminance = (text: string) => {
        const parts = (text.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => Number(part) / 255)
        const [r = 0, g = 0, b = 0] = parts.map((part) =>
          part <= 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
      }
      const [dark = 0, light = 0] = [luminance(color), luminance(backgroundColor)].sort((a, b) => a - b)
      return (light + 0.05) / (dark + 0.05)
    })
}

test('the welcome says what this is, and its four buttons lead there', async () => {
  const { page } = await open()
  const welcome = page.locator('.welcome')
  const chosen = () => page.getByRole('tab', { selected: true }).allTextContents()
  expect(await welcome.getByRole('heading').textContent()).toBe('Files for agents, in this page')
  expect(await welcome.locator('.start strong').allTextContents()).toEqual([
    'Watch the demo',
    'Use your model…',
    'Open a folder, zip or repository…',
    'Embed it…',
  ])
  await welcome.getByRole('button', { name: 'Use your model…' }).click()
  await page.getByRole('dialog', { name: 'The agent’s model' }).waitFor()
  await page.keyboard.press('Escape')
  await welcome.getByRole('button', { name: 'Open a folder, zip or repository…' }).click()
  const choices = page.getByRole('dialog', { name: 'Open a workspace' })
  for (const name of ['Folder on this computer…', 'Zip file…', 'Git repository…']) {
    await choices.getByRole('button', { name }).waitFor()
  }
  await page.keyboard.press('Escape')
  await welcome.getByRole('button', { name: 'Embed it…' }).click()
  await soon(chosen).toEqual(['Files', 'Connect'])
  await page.getByLabel('In your own page: code').waitFor()
  await welcome.getByRole('button', { name: 'Watch the demo' }).click()
  await page.getByText('The demo has ended, and your files are back.').waitFor()
  expect(await page.locator('.place').textContent()).toBe('Sample project · in memory')
})

describe('what the page says', () => {
  test('about refusals is a sentence, never a code', async () => {
    const { page, panel, answer, failures, call, row } = await open()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Undo the last change')
    await page.keyboard.press('Enter')
    await panel('Git')
    await page.getByRole('button', { name: 'Initialize repository' }).click()
    await page.getByRole('button', { name: 'Stage all' }).click()
    await page.getByRole('button', { name: 'Commit', exact: true, disabled: false }).click()
    await page.getByRole('button', { name: 'New branch…' }).click()
    await answer('not..valid', 'Create and check out')
    await panel('Files')
    await row('/src').click()
    await page.keyboard.press('F2')
    await answer('/src/in', 'Move')
    await soon(failures).toEqual([
      'Could not undo the last change: there is no change to undo',
      'Could not commit: write a commit message first',
      'Could not create a branch: git does not allow this name; use letters, digits, - and /: not..valid',
      "Could not move /src: /src can't be moved into itself",
    ])
    // They do not pile up: the oldest are only counted.
    expect(await page.locator('.notice.failed:visible').count()).toBe(3)
    await page.getByText('1 earlier message').waitFor()
    await page.getByRole('button', { name: 'Dismiss all' }).click()
    expect(await failures()).toEqual([])
    await call('write_file', { path: 'one.txt', content: '1' })
    await call('write_file', { path: 'two.txt', content: '2' })
    await panel('History')
    await page.locator('.change').nth(1).click()
    await page.getByRole('button', { name: 'Restore all files to this point' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Restore' }).click()
    await soon(() => page.locator('.timeline .label').first().textContent()).toBe('restore to “write”')
  })

  longTest('while changes are stored is how many', async () => {
    const { page, call } = await open('')
    await page.locator('.row').first().waitFor()
    await Promise.all(page.workers().map((worker) => worker.evaluate(slowStorage)))
    await call('bash', { command: 'for i in $(seq 1500); do echo $i > f$i; done' })
    await soon(() => page.locator('.saving').textContent()).toBe('Saving 1,500 files…')
    await soon(() => page.locator('.saving').textContent()).toBe('')
  })
})

describe('keys', () => {
  longTest('Enter in the path of a tool calls it, and starts a line in its content', async () => {
    const { page } = await open()
    await page.locator('.tools form button[type=submit]:enabled').waitFor()
    await page.locator('#field-path').fill('README.md')
    await page.locator('#field-path').press('Enter')
    await soon(() => page.locator('.result pre').first().textContent()).toContain('# Harbour')
    await page.getByLabel('Tool', { exact: true }).selectOption('write_file')
    await page.locator('#field-path').fill('new.txt')
    await page.locator('#field-content').press('a')
    await page.locator('#field-content').press('Enter')
    expect(await page.locator('#field-content').inputValue()).toBe('a\n')
    await page.locator('#field-content').press('Control+Enter')
    await soon(() => page.locator('.calls li').count()).toBe(2)
  })

  longTest('Ctrl Shift F focuses the search field at once', async () => {
    const { page } = await open()
    await page.locator('.row').first().waitFor()
    await page.keyboard.press('Control+Shift+F')
    await page.keyboard.type('metres')
    expect(await page.getByLabel('Search for').inputValue()).toBe('metres')
    // The agent beside the editor leaves less room.
    await page.getByRole('tab', { name: 'Agent' }).click()
    await page.getByRole('button', { name: 'Approvals…' }).waitFor()
    expect(await page.locator('.search-form').evaluate((form) => form.scrollWidth - form.clientWidth)).toBe(0)
  })

  longTest('Shift F10 opens the menu of the selected row', async () => {
    const { page, row } = await open()
    await row('/README.md').click()
    await page.getByRole('tree').focus()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Rename or move…' }).waitFor()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await row('/README copy.md').waitFor()
    await row('/README.md').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await row('/README copy 2.md').waitFor()
  })
})

describe('the traffic', () => {
  longTest('names the request of an answer, and opened rows stay open', async () => {
    const { page, panel, call } = await open()
    await call('read_file', { path: 'README.md' })
    await panel('Traffic')
    const answer = page.locator('.messages details', { hasText: 'answer to tools/call read_file' })
    await answer.locator('summary').click()
    await soon(() => answer.locator('pre').count()).toBe(1)
    await call('list_dir', { path: '.' })
    await panel('Traffic')
    await soon(() => page.locator('.said').last().textContent()).toBe('answer to tools/call list_dir')
    expect(await answer.evaluate((each) => (each as HTMLDetailsElement).open)).toBe(true)
  })
})

describe('the history', () => {
  longTest('makes rows only for what is seen, and a call costs the same after many changes', async () => {
    const { page, panel } = await open()
    await page.locator('.tools form button[type=submit]:enabled').waitFor()
    await panel('History')
    /** Calls without the form, so that only the engine and the page's reaction to changes are measured. */
    const callMany = (count: number) =>
      page.evaluate(async (calls) => {
        const { polyfs: files } = globalThis as unknown as { polyfs: Files }
        const began = performance.now()
        for (let index = 0; index < calls; index += 1) {
          await files.callTool('write_file', { path: `f${index % 10}.txt`, content: String(performance.now()) })
        }
        return performance.now() - began
        interface Files {
          callTool(name: string, args: object): Promise<unknown>
        }
      }, count)
    /** The fastest of several: what else the machine does slows some of them. */
    const fastest = async () => {
      const times: number[] = []
      for (let round = 0; round < 10; round += 1) times.push(await callMany(5))
      return Math.min(...times)
    }
    await callMany(30)
    const before = await fastest()
    await callMany(scaled(2400))
    const after = await fastest()
    expect(await page.locator('.timeline li').count()).toBeLessThan(500)
    // The list used to be made anew for each change, which took several times as long.
    expect(after).toBeLessThan(before * 2.5 + 50)
    await page.locator('.timeline').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await page.getByLabel('Point in time').fill('0')
    await soon(() => page.locator('.change[aria-pressed=true]').count()).toBe(1)
    expect(await page.locator('.timeline li').count()).toBeLessThan(500)
  })
})

describe('files of the computer', () => {
  async function dropped(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(directory, name)
    await writeFile(path, content)
    return path
  }

  async function dropOn(page: Page, selector: string, ...files: string[]): Promise<void> {
    // Waits until it stands still.
    await page.locator(selector).hover({ trial: true })
    const box = await page.locator(selector).boundingBox()
    if (box === null) throw new Error('not visible')
    const session = await page.context().newCDPSession(page)
    const data = { items: [], files, dragOperationsMask: 1 }
    const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
      session.send('Input.dispatchDragEvent', { type, x: box.x + 40, y: box.y + box.height / 2, data })
    await send('dragEnter')
    // Before the page has said that it takes the files, the browser drops nothing.
    const isTarget = async () => {
      await send('dragOver')
      return page.locator('.row.target').count()
    }
    await soon(isTarget).toBe(1)
    await send('dragOver')
    await send('drop')
  }

  testInTurn(
    'are dropped into the folder under the pointer, and a taken name is a question about that name',
    async () => {
      const { page, row, call } = await open()
      const [one, two] = [await dropped('one.txt', 'one'), await dropped('two.txt', 'two')]
      await dropOn(page, '.row[data-path="/notes"]', one)
      await row('/notes').click()
      await row('/notes/one.txt').waitFor()
      await writeFile(one, 'changed')
      await dropOn(page, '.row[data-path="/notes/one.txt"]', one, two)
      await page.getByRole('heading', { name: 'one.txt is taken' }).waitFor()
      await page.locator('dialog[open]').getByRole('button', { name: 'Keep both' }).click()
      await row('/notes/one 2.txt').waitFor()
      await row('/notes/two.txt').waitFor()
      expect(await call('read_file', { path: 'notes/one.txt' })).toBe('1\tone')
      await dropOn(page, '.row[data-path="/notes"]', one)
      await page.locator('dialog[open]').getByRole('button', { name: 'Replace' }).click()
      await soon(() => call('read_file', { path: 'notes/one.txt' })).toBe('1\tchanged')
    },
  )

  longTest('are uploaded into the chosen folder, and pictures are shown', async () => {
    const { page, row } = await open()
    const picture = await readFile(new URL('../../../docs/screenshots/phone.png', import.meta.url))
    await row('/notes').click()
    await page
      .getByLabel('Files to upload')
      .setInputFiles([await dropped('up.txt', 'up'), await dropped('phone.png', picture)])
    await row('/notes/up.txt').waitFor()
    await row('/notes/phone.png').click()
    await soon(() => page.locator('.picture figcaption').textContent()).toMatch(/^390 × 844 · [\d.]+ kB$/)
    await row('/notes/up.txt').click()
    await soon(() => page.locator('.cm-content').textContent()).toBe('up')
    await page.getByRole('tree').focus()
    // A file that only has the name of a picture.
    await page.getByLabel('Files to upload').setInputFiles([await dropped('fake.png', Buffer.from([0, 1, 2]))])
    await row('/notes/fake.png').click()
    await soon(() => page.locator('.picture figcaption').textContent()).toBe(
      '3 B; the browser can’t show it as a picture.',
    )
  })

  longTest('that came from a zip are exported under the same name', async () => {
    const { page, row } = await open()
    await drop(page, await dropped('five.zip', await zipBytes([{ name: 'a.txt', method: 0 }])))
    await row('/a.txt').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export zip' }).click()
    expect((await download).suggestedFilename()).toBe('five.zip')
  })

  testInTurn('in an open folder are seen when other programs change them', async () => {
    const local = await openWithDirectory(site.url + inMemory)
    try {
      const at = (name: string) => join(local.directory, name)
      await writeFile(at('hello.txt'), 'from the disk\n')
      watch(local.page.context())
      const { page, rows, show } = playgroundOn(local.page)
      await page.locator('.place', { hasText: '·' }).waitFor()
      await drop(page, local.directory)
      await soon(rows).toEqual(['hello.txt'])
      const text = await show('/hello.txt')
      await writeFile(at('hello.txt'), 'changed outside\n')
      await soon(() => text.textContent()).toBe('changed outside')
      await writeFile(at('new.txt'), '')
      await soon(rows).toEqual(['hello.txt', 'new.txt'])
      await rename(at('new.txt'), at('newer.txt'))
      await soon(rows).toEqual(['hello.txt', 'newer.txt'])
      await unlink(at('hello.txt'))
      await page.getByText('This file was deleted.', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Restore it' }).click()
      await soon(() => readFile(at('hello.txt'), 'utf8')).toBe('changed outside\n')
    } finally {
      await local.close()
    }
  })

  longTest('are read again when asked to, the open ones too', async () => {
    const local = await openWithDirectory(site.url + inMemory)
    try {
      // Neither observed nor polled soon enough.
      await local.page.addInitScript(() => {
        Reflect.deleteProperty(globalThis, 'FileSystemObserver')
      })
      await local.page.reload()
      watch(local.page.context())
      const { page, rows, show } = playgroundOn(local.page)
      await writeFile(join(local.directory, 'hello.txt'), 'from the disk\n')
      await page.locator('.place', { hasText: '·' }).waitFor()
      await drop(page, local.directory)
      await soon(rows).toEqual(['hello.txt'])
      const text = await show('/hello.txt')
      await writeFile(join(local.directory, 'hello.txt'), 'changed outside\n')
      await page.getByRole('button', { name: 'Read the files again' }).click()
      await soon(() => text.textContent()).toBe('changed outside')
      await writeFile(join(local.directory, 'hello.txt'), 'seen by looking now and then\n')
      await soon(() => text.textContent()).toBe('seen by looking now and then')
    } finally {
      await local.close()
    }
  })
})

describe('a workspace of the browser’s storage', () => {
  longTest('is deleted, and the sample is reset, with their histories', async () => {
    const { page, call, row, answer, panel, failures } = await open('')
    const place = page.locator('.place')
    const dialog = page.locator('dialog[open]')
    const stored = () =>
      page.evaluate(async () => {
        const names: string[] = []
        for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name)
        return names.filter((name) => name.includes('doomed'))
      })
    await call('write_file', { path: 'mine.txt', content: 'x' })
    await row('/mine.txt').waitFor()
    await place.click()
    await dialog.getByRole('button', { name: 'In this browser…' }).click()
    await answer('doomed', 'Open')
    // The calls of the workspace that is left are gone then.
    await soon(() => place.textContent()).toBe('doomed · in this browser')
    await call('write_file', { path: 'kept.txt', content: 'x' })
    await soon(stored).toContain('.polyfs-pack-doomed')
    await place.click()
    await dialog.getByRole('button', { name: 'Delete doomed' }).click()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await place.textContent()).toBe('doomed · in this browser')
    await place.click()
    await dialog.getByRole('button', { name: 'Delete doomed' }).click()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('doomed was deleted').waitFor()
    expect(await stored()).toEqual([])
    expect(await place.textContent()).toBe('Sample project · in memory')
    await place.click()
    await dialog.getByRole('button', { name: 'Reset the sample project' }).click()
    await dialog.getByRole('button', { name: 'Reset', exact: true }).click()
    await page.getByText('The sample is as it was at first').waitFor()
    await soon(() => place.textContent()).toBe('sample-project · in this browser')
    await row('/README.md').waitFor()
    expect(await row('/mine.txt').count()).toBe(0)
    await panel('History')
    await page.getByText('No changes yet').waitFor()
    expect(await failures()).toEqual([])
  })
})

describe('the areas of the page', () => {
  longTest('are resized by dragging and by keys, and stay so', async () => {
    const { page, panel } = await open()
    const side = page.locator('aside')
    const width = async () => (await side.boundingBox())?.width
    const divider = page.getByRole('separator', { name: 'Width of the workspace panels' })
    const box = await divider.boundingBox()
    if (box === null) throw new Error('not visible')
    await page.mouse.move(box.x + 2, box.y + 200)
    await page.mouse.down()
    await page.mouse.move(450, box.y + 210, { steps: 4 })
    await page.mouse.up()
    expect(await width()).toBe(450)
    await divider.focus()
    await page.keyboard.press('ArrowLeft')
    expect(await width()).toBe(426)
    await page.getByRole('separator', { name: 'Height of the tools' }).focus()
    const height = async () => (await page.locator('.dock').boundingBox())?.height ?? 0
    const before = await height()
    await page.keyboard.press('ArrowUp')
    expect(await height()).toBe(Math.round(before) + 24)
    await panel('Agent')
    await page.getByRole('separator', { name: 'Width of the agent' }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.reload()
    await soon(width).toBe(426)
    await divider.dblclick()
    await soon(width).not.toBe(426)
  })
})

describe('a comparison', () => {
  longTest('follows the files that it compares', async () => {
    const { page, panel, call } = await open()
    await panel('Git')
    await page.getByRole('button', { name: 'Initialize repository' }).click()
    await page.getByRole('button', { name: 'Stage all' }).click()
    await call('write_file', { path: 'README.md', content: '# One\n' })
    await page.locator('.git-body .what', { hasText: 'modified' }).waitFor()
    await page.locator('.git-body details', { hasText: 'Changed' }).locator('.path').click()
    await soon(() => page.locator('.cm-changedLine').allTextContents()).toEqual(['# One'])
    await call('write_file', { path: 'README.md', content: '# Two\n' })
    await soon(() => page.locator('.cm-changedLine').allTextContents()).toEqual(['# Two'])
  })
})

/** In a worker: its storage takes two seconds to flush. */
function slowStorage(): void {
  const { prototype } = FileSystemSyncAccessHandle
  const { flush } = prototype
  prototype.flush = function () {
    const end = Date.now() + 2000
    while (Date.now() < end);
    return flush.call(this)
  }
}
