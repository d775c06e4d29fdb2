/** The page of `polyfs ui` on a real directory, in Chromium. */
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { pageFiles } from '../../../node/serve/page-files.js'
import { type UiSite, type UiSiteOptions, uiSite } from '../../node/ui/ui-site.js'
import { longTest, testInTurn } from '../../scale.js'
import { chromiumOptions } from '../chromium.js'
import { builtPlayground } from './built-playground.js'
import { complaints, openPlayground, type Playground, soon } from './playground-page.js'

let browser: Browser
let directory: string
let axe: string

beforeAll(async () => {
  ;[browser, directory, axe] = await Promise.all([
    chromium.launch(chromiumOptions),
    builtPlayground(),
    readFile(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'),
  ])
})

afterAll(() => browser?.close())

afterEach(async () => {
  for (const context of browser.contexts()) await context.close()
  expect(complaints.splice(0)).toEqual([])
})

async function open(options: UiSiteOptions = {}): Promise<Playground & { site: UiSite }> {
  const page = pageFiles(directory)
  if (page === undefined) throw new Error('No page was built')
  const site = await uiSite({ ...options, page })
  await writeFile(join(site.root, 'notes.md'), '# Notes\n')
  return { site, ...(await openPlayground(browser, site.ui.address(site.origin))) }
}

async function client({ url }: UiSite): Promise<Client> {
  const made = new Client({ name: 'claude-code', version: '2.1.0' })
  await made.connect(new StreamableHTTPClientTransport(new URL(url)))
  onTestFinished(() => made.close())
  return made
}

/** The findings that axe rates serious or worse. */
async function seriousIn(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as Axe).axe.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)
  })
}

interface Axe {
  axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> }
}

longTest('a person edits, runs commands and searches on the directory', async () => {
  const { site, page, row, rows, panel, show, type } = await open({ shell: true })
  await soon(rows).toEqual(['notes.md'])
  const text = await show(`${site.root}/notes.md`)
  await text.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('typed')
  await soon(() => readFile(join(site.root, 'notes.md'), 'utf8')).toBe('# Notes\ntyped')
  // Another program, past polyfs.
  await writeFile(join(site.root, 'outside.txt'), 'outside')
  await row(`${site.root}/outside.txt`).waitFor()
  await panel('Terminal')
  await type('echo from the shell > shell.txt')
  await row(`${site.root}/shell.txt`).waitFor()
  await panel('Search')
  await page.getByLabel('Search for').fill('from the shell')
  await soon(() => page.locator('.search .summary').textContent()).toContain('in 1 of 3 files')
  await panel('History')
  await soon(() => page.locator('.timeline .change .when').first().textContent()).toMatch(/^you · .*shell\.txt$/)
})

test('a pasted here-document runs as one script on the disk, and only with Enter', async () => {
  const { site, page, panel, row } = await open({ shell: true })
  await mkdir(join(site.root, 'notes'))
  await writeFile(join(site.root, 'notes', 'kept.md'), 'kept')
  await panel('Terminal')
  const input = page.locator('.xterm-helper-textarea')
  await input.focus()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const pasted = "cat > k.txt <<'EOF'\nhello\nrm -rf notes\nEOF\n"
  await page.evaluate((text) => navigator.clipboard.writeText(text), pasted)
  await page.keyboard.press('Control+v')
  await soon(() => page.locator('.xterm-accessibility-tree').textContent()).toContain('> rm -rf notes')
  expect(await readdir(site.root)).not.toContain('k.txt')
  await page.keyboard.press('Enter')
  await row(`${site.root}/k.txt`).waitFor()
  expect(await readFile(join(site.root, 'k.txt'), 'utf8')).toBe('hello\nrm -rf notes\n')
  await page.keyboard.type('for name in one two')
  await page.keyboard.press('Enter')
  await page.keyboard.type('do echo $name > $name.txt; done')
  await page.keyboard.press('Enter')
  await row(`${site.root}/two.txt`).waitFor()
  expect(await readFile(join(site.root, 'one.txt'), 'utf8')).toBe('one\n')
  expect(await readFile(join(site.root, 'notes', 'kept.md'), 'utf8')).toBe('kept')
})

testInTurn(
  'a page that nobody uses looks at what it shows, and reads it only when other programs have changed it',
  async () => {
    const { site, page, row, panel, show } = await open()
    const folder = join(site.root, 'folder')
    await mkdir(folder)
    await writeFile(join(folder, 'inside.txt'), 'inside')
    // Older than a moment, so that a change is seen by its time.
    await utimes(join(site.root, 'notes.md'), 1_700_000_000, 1_700_000_000)
    const sent: string[] = []
    page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))))
    await page.reload()
    const asked = (name: string, path: string) =>
      sent.filter((message) => message.includes(`"${name}"`) && message.includes(`"path":"${path}"`)).length
    const looks = () => asked('listDirectory', site.root)
    await row(folder).click()
    await row(`${folder}/inside.txt`).waitFor()
    await row(folder).click()
    const text = await show(`${site.root}/notes.md`)
    const begun = looks()
    await soon(looks).toBeGreaterThan(begun + 1)
    sent.length = 0
    await soon(looks).toBeGreaterThan(1)
    expect(asked('describeEntry', `${site.root}/notes.md`)).toBeGreaterThan(0)
    expect(sent.filter((message) => /readBytes|searchText|gitStatus/.test(message))).toEqual([])
    expect(asked('listDirectory', folder)).toBe(0)
    await writeFile(join(site.root, 'notes.md'), '# Notes by another program\n')
    await soon(() => text.textContent()).toContain('by another program')
    await writeFile(join(folder, 'later.txt'), 'later')
    await row(folder).click()
    await row(`${folder}/later.txt`).waitFor()
    await panel('Search')
    await page.getByLabel('Search for').fill('another program')
    await soon(() => page.locator('.search .summary').textContent()).toContain('in 1 of 3 files')
    await writeFile(join(folder, 'found.txt'), 'another program')
    await soon(() => page.locator('.search .summary').textContent()).toContain('in 2 of 4 files')
    await writeFile(join(site.root, 'unseen.txt'), '')
    await panel('Files')
    await row(`${site.root}/unseen.txt`).waitFor()
  },
)

longTest('the token leaves the address, and a reload and another tab need none', async () => {
  const { site, page } = await open()
  expect(page.url()).not.toContain('token')
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2)
  await page.reload()
  await page.locator('.place', { hasText: site.root }).waitFor()
  const tab = await page.context().newPage()
  await tab.goto(`${site.origin}/`)
  await tab.locator('.place', { hasText: site.root }).waitFor()
})

longTest('a browser without a key reads why it sees nothing', async () => {
  const { site } = await open()
  const stranger = await (await browser.newContext({ serviceWorkers: 'block' })).newPage()
  await stranger.goto(`${site.origin}/`)
  await soon(() => stranger.getByRole('alert').textContent()).toContain('an address that polyfs prints')
  expect(await stranger.locator('.row').count()).toBe(0)
  expect(await seriousIn(stranger)).toEqual([])
})

testInTurn('a person sees what a client reads and changes, and undoes it', async () => {
  const { site, page, row } = await open()
  const agent = await client(site)
  await page.getByText('claude-code 2.1.0').first().waitFor()
  await agent.callTool({ name: 'read_file', arguments: { path: 'notes.md' } })
  await page.locator('.client-call.read.done').waitFor()
  await page.getByLabel('Show what is changed in the editor').check()
  await agent.callTool({ name: 'write_file', arguments: { path: 'made.txt', content: 'by an agent\n' } })
  await page.locator('.cm-content', { hasText: 'by an agent' }).waitFor()
  await row(`${site.root}/made.txt`).waitFor()
  const call = page.locator('.client-call.write.done')
  await call.locator('summary').click()
  await soon(() => call.textContent()).toContain('content: by an agent')
  await call.getByRole('button', { name: 'Show the change' }).click()
  await page.locator('.cm-merge-b, .cm-mergeView, .compare').first().waitFor()
  await page.getByRole('tab', { name: 'History', exact: true }).click()
  await soon(() => page.locator('.timeline .change .when').first().textContent()).toContain('claude-code 2.1.0')
  expect(await seriousIn(page)).toEqual([])
  await call.getByRole('button', { name: 'Undo' }).click()
  await soon(() => readFile(join(site.root, 'made.txt'), 'utf8').catch(({ code }) => code)).toBe('ENOENT')
})

test('a client asks: one call is allowed with a click, another denied with a word', async () => {
  const { site, page } = await open()
  const agent = await client(site)
  await page.getByLabel('asks before changes').check()
  await soon(async () => (await site.ui.hub.activity()).clients.map(({ asks }) => asks)).toEqual([true])
  const write = (path: string) => agent.callTool({ name: 'write_file', arguments: { path, content: 'x' } })
  const allowed = write('allowed.txt')
  const question = page.getByRole('group', { name: 'claude-code 2.1.0 wants to change files' })
  await soon(() => question.textContent()).toContain('path: allowed.txt')
  await soon(() => page.title()).toContain('(1 waiting)')
  expect(await seriousIn(page)).toEqual([])
  await question.getByRole('button', { name: 'Allow' }).click()
  expect((await allowed).isError).not.toBe(true)
  const denied = write('denied.txt')
  await question.getByLabel('Why not, or what instead').fill('not here')
  await question.getByRole('button', { name: 'Deny' }).click()
  expect((await denied).content).toMatchObject([{ text: expect.stringContaining('The user says: not here') }])
  await soon(() => page.title()).not.toContain('waiting')
  expect(await readFile(join(site.root, 'allowed.txt'), 'utf8')).toBe('x')
})

testInTurn(
  'a page whose server was started again says once what to do, and goes on with the new address in the same tab',
  async () => {
    const { site, page, row, show } = await open()
    const text = await show(`${site.root}/notes.md`)
    const port = Number(new URL(site.origin).port)
    await site.close()
    const served = pageFiles(directory)
    if (served === undefined) throw new Error('No page was built')
    const next = await uiSite({ port, page: served })
    await writeFile(join(next.root, 'after.md'), 'after')
    await page.getByText('polyfs ui was started again').waitFor()
    expect(await page.locator('.notice').filter({ visible: true }).count()).toBe(1)
    expect(await page.getByText('Trying again').count()).toBe(0)
    expect(await text.textContent()).toContain('Notes')
    await page.goto(next.ui.address(next.origin))
    await row(`${next.root}/after.md`).waitFor()
    expect(page.url()).not.toContain('token')
    await soon(() => page.getByText('polyfs ui was started again').count()).toBe(0)
    // One more, while the page is connected, is taken too.
    await page.goto(next.ui.address(next.origin))
    await soon(() => page.url()).not.toContain('token')
    complaints.length = 0
  },
)
