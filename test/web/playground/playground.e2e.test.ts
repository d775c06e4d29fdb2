import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Browser, chromium } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { nodeFs } from '../../../node/disk/node-fs.js'
import { unpacked } from '../../../src/archive/zip-fs.js'
import type { FileSystem } from '../../../src/fs/types.js'
import { walk } from '../../../src/fs/walk/walk.js'
import { sampleProject } from '../../../src/sample-project.js'
import { zipBytes } from '../../core/archive/zip-bytes.js'
import { longTest } from '../../scale.js'
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

/** The sample in memory. */
const inMemory = '#workspace=memory&fast=1'

async function open(hash = inMemory): Promise<Playground> {
  return openPlayground(browser, site.url + hash)
}

async function dropped(name: string, content: Uint8Array | string): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, content)
  return path
}

describe('a workspace', () => {
  test('opens with the sample and the tools from less than 240 kB', async () => {
    const context = await browser.newContext({ serviceWorkers: 'block' })
    watch(context)
    const page = await context.newPage()
    site.requested.length = 0
    await page.goto(site.url)
    await soon(playgroundOn(page).rows).toEqual(['▸ data', '▸ notes', '▸ src', 'README.md'])
    await page.locator('#field-path').waitFor()
    await site.idle()
    expect(site.requested.map(({ path }) => path).join()).toContain('engine-worker')
    expect(site.requested.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(240_000)
    expect(await page.title()).toBe('sample-project – polyfs playground')
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
  })

  longTest('works on a host that sends no headers, where the page is not isolated', async () => {
    const context = await browser.newContext({ serviceWorkers: 'block' })
    watch(context)
    const page = await context.newPage()
    await page.route('**/*', async (route) => {
      const response = await route.fetch()
      const headers = response.headers()
      for (const name of Object.keys(headers)) if (/^(cross-origin-|content-security-)/.test(name)) delete headers[name]
      await route.fulfill({ response, headers })
    })
    await page.goto(site.url + inMemory)
    const { rows, call, row } = playgroundOn(page)
    await soon(rows).toEqual(['▸ data', '▸ notes', '▸ src', 'README.md'])
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(false)
    await call('bash', { command: 'echo made > made.txt' })
    await row('/made.txt').waitFor()
    // The page's own policy still applies: no requests to other origins, and no forms.
    const refused = page.evaluate(async () => {
      const heard: string[] = []
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => heard.push(effectiveDirective))
      await fetch('http://127.0.0.1:9/').catch(() => {})
      const form = document.createElement('form')
      form.action = 'http://127.0.0.1:9/'
      document.body.append(form)
      form.submit()
      while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
      return heard
    })
    expect(await refused).toEqual(['connect-src', 'form-action'])
    expect(complaints.splice(0).filter((text) => !text.includes('Content Security Policy'))).toEqual([])
  })

  test('can be opened in memory, in the browser and from a zip, and exported', async () => {
    const { page, rows, answer, row, call } = await open()
    const place = page.locator('.place')
    const choose = async (name: string) => {
      await place.click()
      await page.locator('dialog').getByRole('button', { name, exact: true }).click()
    }
    await soon(rows).toEqual(['▸ data', '▸ notes', '▸ src', 'README.md'])
    await choose('Empty, in memory')
    await page.getByText('No files yet').waitFor()
    await choose('In this browser…')
    await answer('mine', 'Open')
    await soon(() => place.textContent()).toBe('mine · in this browser')
    await call('write_file', { path: 'kept.txt', content: 'kept\n' })
    await row('/kept.txt').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export zip' }).click()
    const zip = join(directory, (await download).suggestedFilename())
    await (await download).saveAs(zip)
    await choose('Empty, in memory')
    await page.getByText('No files yet').waitFor()
    await drop(page, zip)
    await soon(() => place.textContent()).toBe('mine.zip · zip, in memory')
    await soon(rows).toEqual(['kept.txt'])
    await choose('Empty, in memory')
    await place.click()
    await page.locator('dialog input[type=file]').setInputFiles(zip)
    await soon(rows).toEqual(['kept.txt'])
    await place.click()
    await page.locator('dialog').getByRole('button', { name: 'mine', exact: true }).click()
    await soon(() => place.textContent()).toBe('mine · in this browser')
  })

  longTest('is named by the address, also when one is pasted, and errors in it are reported', async () => {
    const { page, failures } = await open('#workspace=opfs:linked&panel=git&dialect=clarvis')
    const place = page.locator('.place')
    const chosen = () => page.getByRole('tab', { selected: true }).allTextContents()
    expect(await place.textContent()).toBe('linked · in this browser')
    expect(await page.getByLabel('Tool dialect').inputValue()).toBe('clarvis')
    expect(await chosen()).toEqual(['Git', 'Tools'])
    const paste = (hash: string) => page.evaluate((given) => location.assign(given), hash)
    await paste('#workspace=memory&panel=history&file=/src/tides.ts')
    await page.locator('.cm-content[aria-label="/src/tides.ts"]').waitFor()
    expect(await place.textContent()).toBe('Sample project · in memory')
    expect(await chosen()).toEqual(['History', 'tides.ts', 'Tools'])
    await paste('#workspace=folder:gone')
    await soon(failures).toEqual(['This page has not opened the folder gone before.'])
    expect(await page.getByRole('button', { name: 'Choose folder…' }).count()).toBe(1)
    await soon(() => page.url()).toContain('workspace=memory')
    await page.goto('about:blank')
    await page.goto(`${site.url}#workspace=opfs:a%2Fb`)
    await soon(failures).toEqual(['Could not open a/b: /a/b is not a valid name here; remove / and special characters'])
    await soon(() => place.textContent()).toBe('sample-project · in this browser')
  })

  longTest('is exported as a patch that git applies, and as a zip with everything', async () => {
    const { page, call, failures } = await open()
    const save = async (name: string) => {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name }).click()
      return (await download).path()
    }
    const change = "sed -i s/Harbour/Port/ README.md; rm data/arrivals.csv; mv src/tides.ts 'src/ti des.ts'"
    await call('bash', { command: `${change}; printf 'no newline' > new.txt; head -c 9 /dev/zero > zeros` })
    const [patch, zip] = [await save('Export patch'), await save('Export zip')]
    expect(await failures()).toEqual(['The patch leaves out binary files; export a zip to get them'])
    const clone = join(directory, 'clone')
    for (const [path, text] of Object.entries(sampleProject).filter(([name]) => !name.endsWith('/'))) {
      await mkdir(dirname(join(clone, path)), { recursive: true })
      await writeFile(join(clone, path), text)
    }
    execFileSync('git', ['apply', patch], { cwd: clone })
    const packed = await unpacked(new Uint8Array(await readFile(zip)))
    const [applied, exported] = await Promise.all([textsIn(nodeFs(clone)), textsIn(packed)])
    expect({ ...applied, '/zeros': '\0'.repeat(9) }).toEqual(exported)
    expect(exported['/README.md']).toContain('# Port')
  })

  longTest('with changes in memory is not left without a warning', async () => {
    const { page, call, rows } = await open()
    await call('write_file', { path: 'new.txt', content: '' })
    await page.locator('.place').click()
    await page.getByRole('button', { name: 'Empty, in memory' }).click()
    await page.getByRole('heading', { name: 'Leave Sample project?' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await soon(rows).toEqual(['▸ data', '▸ notes', '▸ src', 'new.txt A', 'README.md'].sort(byTree))
  })

  test('is a real folder when one is dropped, and changes are written to disk', async () => {
    const local = await openWithDirectory(site.url + inMemory)
    try {
      await writeFile(join(local.directory, 'hello.txt'), 'from the disk\n')
      watch(local.page.context())
      const { page, rows, show } = playgroundOn(local.page)
      await page.locator('.place', { hasText: '·' }).waitFor()
      await drop(page, local.directory)
      await soon(rows).toEqual(['hello.txt'])
      expect(await page.locator('.place').textContent()).toBe('project · folder')
      const text = await show('/hello.txt')
      await text.click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('from the page')
      await soon(() => readFile(join(local.directory, 'hello.txt'), 'utf8')).toBe('from the disk\nfrom the page')
    } finally {
      await local.close()
    }
  })
})

describe('the tree of files', () => {
  test('creates, renames, moves and deletes, also by keyboard, and marks changes', async () => {
    const { page, rows, row, answer } = await open()
    const tree = page.getByRole('tree')
    await row('/src').click()
    await page.getByRole('button', { name: 'New file' }).first().click()
    await answer('new.ts', 'Create file')
    await soon(rows).toEqual(['▸ data', '▸ notes', '▾ src •', 'berths.ts', 'new.ts A', 'tides.ts', 'README.md'])
    await tree.focus()
    await page.keyboard.press('F2')
    await answer('/notes/moved.ts', 'Move')
    await row('/notes').click()
    await row('/src').click()
    await soon(rows).toEqual(['▸ data', '▾ notes •', 'moved.ts A', '▸ src', 'README.md'])
    await row('/notes/moved.ts').dragTo(row('/data'))
    await soon(rows).toEqual(['▸ data •', '▾ notes', '▸ src', 'README.md'])
    await row('/README.md').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await soon(rows).toEqual(['▸ data •', '▾ notes', '▸ src', 'README copy.md A', 'README.md'])
    await tree.focus()
    for (const key of ['Home', 'ArrowDown', 'ArrowLeft', 'ArrowUp', 'ArrowRight', 'End']) await page.keyboard.press(key)
    await soon(rows).toEqual([
      '▾ data •',
      'arrivals.csv',
      'moved.ts A',
      '▸ notes',
      '▸ src',
      'README copy.md A',
      'README.md',
    ])
    await page.keyboard.press('Delete')
    await page.locator('dialog').getByRole('button', { name: 'Delete' }).click()
    await soon(rows).toEqual(['▾ data •', 'arrivals.csv', 'moved.ts A', '▸ notes', '▸ src', 'README copy.md A'])
    await page.getByRole('button', { name: 'New folder' }).click()
    await answer('fresh', 'Create folder')
    await soon(rows).toContain('▸ fresh A')
  })

  longTest('shows thousands of entries with few elements, and treats names as text', async () => {
    const { page, rows, row } = await open()
    const numbers = Array.from({ length: 2000 }, (_, index) => String(index + 1).padStart(4, '0'))
    const names = [...numbers.map((number) => `many/${number}`), 'many/<img src=x onerror=alert(1)>', 'src/x', 'z']
    await drop(page, await dropped('many.zip', await zipBytes(names.map((name) => ({ name, method: 0 })))))
    await row('/many').click()
    await row('/many/0001').waitFor()
    expect((await rows()).length).toBeLessThan(80)
    await page.getByRole('tree').focus()
    await page.keyboard.press('End')
    await row('/z').waitFor()
    expect((await rows()).length).toBeLessThan(80)
    for (const _ of ['src', 'the last of many']) await page.keyboard.press('ArrowUp')
    expect(await page.locator('.row.selected').getAttribute('data-path')).toBe('/many/<img src=x onerror=alert(1)>')
    expect(await page.locator('img').count()).toBe(0)
  })
})

describe('the editor', () => {
  test('saves edits, loads changes by others, and asks which version to use after both', async () => {
    const { page, show, call, failures } = await open()
    await page.clock.install()
    const text = await show('/README.md')
    await text.click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('Typed. ')
    await soon(() => call('read_file', { path: 'README.md', limit: 1 })).toContain('Typed. # Harbour')
    await call('write_file', { path: 'README.md', content: 'by a tool\n' })
    await soon(() => text.textContent()).toBe('by a tool')
    for (const [choice, kept] of [
      ['Take theirs', 'theirs'],
      ['Keep mine', 'mine theirs'],
    ] as const) {
      // Timers are paused, so the edit is not saved yet.
      await page.clock.pauseAt(Date.now() + 3_600_000)
      await text.click()
      await page.keyboard.press('Control+Home')
      await page.keyboard.type('mine ')
      await call('write_file', { path: 'README.md', content: `theirs\n${choice === 'Keep mine' ? '!' : ''}` })
      await page.getByText('Someone else changed this file while you were editing it.').waitFor()
      await page.clock.resume()
      await page.getByRole('button', { name: choice }).click()
      await soon(() => text.textContent()).toBe(kept)
      await soon(() => call('read_file', { path: 'README.md' })).toBe(`1\t${kept}`)
    }
    expect(await failures()).toEqual([])
  })
})

describe('what can go wrong', () => {
  longTest('a file that is not an archive, and one that is too large unpacked, change nothing', async () => {
    const { page, rows, failures } = await open()
    const sample = ['▸ data', '▸ notes', '▸ src', 'README.md']
    await soon(rows).toEqual(sample)
    await drop(page, await dropped('no.zip', 'this is no archive'))
    await soon(failures).toEqual(['Could not open no.zip: it is damaged or not a zip archive; nothing was changed'])
    await page.locator('.notice.failed').getByRole('button', { name: 'Dismiss' }).click()
    await drop(page, await dropped('bomb.zip', await zipBytes([{ name: 'zeros', data: new Uint8Array(30_000_000) }])))
    await soon(failures).toEqual([
      'Could not open bomb.zip: it is too large to unpack here; unpack it on your computer and drop the folder',
    ])
    expect(await rows()).toEqual(sample)
    await drop(page, await dropped('plain.txt', 'put into the workspace'))
    await soon(rows).toContain('plain.txt A')
  })

  longTest('a folder without write permission can be read, and the page says how to allow writing', async () => {
    const local = await openWithDirectory(site.url + inMemory, { canWrite: false })
    try {
      const { page, rows, failures } = playgroundOn(local.page)
      await writeFile(join(local.directory, 'seen.txt'), 'x')
      await page.locator('.place', { hasText: '·' }).waitFor()
      await drop(page, local.directory)
      await soon(failures).toEqual(['project is read-only. Open it again and allow changes to edit it.'])
      await soon(rows).toEqual(['seen.txt'])
      expect(await page.locator('.place').textContent()).toBe('project · folder · read-only')
      await page.reload()
      await soon(failures).toEqual(['The browser no longer lets this page use the folder project.'])
      expect(await page.locator('.place', { hasText: '·' }).textContent()).toBe('sample-project · in this browser')
      await page.getByRole('button', { name: 'Allow again' }).click()
      // The browser now shows a prompt that nobody answers, or it still remembers the right to read.
      const outcome = async () =>
        [
          ...(await page.locator('.notice.busy > span').allTextContents()),
          await page.locator('.place').textContent(),
        ].join()
      await soon(outcome).toMatch(/^Use project…|^project · folder · read-only$/)
    } finally {
      await local.close()
    }
  })
})

async function textsIn(fs: FileSystem): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for await (const { path, kind } of walk(fs, '/')) {
    if (kind === 'file') texts[path] = new TextDecoder().decode(await fs.readFile(path))
  }
  return texts
}

function byTree(a: string, b: string): number {
  return Number(b.startsWith('▸')) - Number(a.startsWith('▸')) || (a < b ? -1 : 1)
}
