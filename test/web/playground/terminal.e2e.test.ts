import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { longTest, testInTurn } from '../../scale.js'
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

interface Opened extends Playground {
  /** The rows of the screen, without spaces at their ends. */
  rows(): Promise<string[]>
  /** All of it as one text, as if nothing were wrapped. */
  screen(): Promise<string>
}

async function openTerminal(): Promise<Opened> {
  const playground = await openPlayground(browser, `${site.url}#workspace=memory&fast=1`)
  const { page, panel } = playground
  const rows = () =>
    page
      .locator('.xterm-accessibility-tree > div')
      .evaluateAll((all) => all.map((each) => (each.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd()))
  const screen = async () => (await rows()).join('')
  await panel('Terminal')
  await soon(screen).toContain('/ $')
  return { ...playground, rows, screen }
}

const times = (text: string, part: string) => text.split(part).length - 1

describe('the line of the terminal', () => {
  longTest('longer than a row is drawn once, and can be edited anywhere in it', async () => {
    const { page, screen } = await openTerminal()
    const long = 'abcdefghij'.repeat(30)
    await page.keyboard.type(`echo ${long}`)
    await soon(screen).toContain(`/ $ echo ${long}`)
    expect(times(await screen(), '/ $')).toBe(1)
    await page.keyboard.press('Home')
    await page.keyboard.type('printf %s x; ')
    await soon(screen).toContain(`/ $ printf %s x; echo ${long}`)
    await page.keyboard.press('End')
    for (let count = 0; count < 200; count += 1) await page.keyboard.press('Backspace')
    await soon(screen).toContain(`/ $ printf %s x; echo ${long.slice(0, 100)}`)
    expect(times(await screen(), '/ $')).toBe(1)
    await page.keyboard.press('Enter')
    await soon(screen).toContain(`x${long.slice(0, 100)}/ $`)
    expect(times(await screen(), 'printf')).toBe(1)
  })

  longTest('completes commands and paths', async () => {
    const { page, screen, call, panel } = await openTerminal()
    await call('bash', { command: "echo found > 'src/two words.txt'" })
    await panel('Terminal')
    await page.keyboard.type('basena')
    await page.keyboard.press('Tab')
    await soon(screen).toContain('/ $ basename')
    await page.keyboard.press('Control+u')
    await page.keyboard.type('cat sr')
    await page.keyboard.press('Tab')
    await soon(screen).toContain('/ $ cat src/')
    await page.keyboard.type('two')
    await page.keyboard.press('Tab')
    await soon(screen).toContain(String.raw`/ $ cat src/two\ words.txt`)
    await page.keyboard.press('Enter')
    await soon(screen).toContain('found')
    await page.keyboard.type('ls src/')
    await page.keyboard.press('Tab')
    await soon(screen).toContain(String.raw`src/berths.ts  src/tides.ts  src/two\ words.txt`)
  })

  longTest('has the keys of a shell', async () => {
    const { page, screen } = await openTerminal()
    await page.keyboard.type('echo one two')
    await page.keyboard.press('Control+w')
    await page.keyboard.type('three')
    await page.keyboard.press('Enter')
    await soon(screen).toContain('one three/ $')
    await page.keyboard.type('echo four five')
    for (let count = 0; count < 5; count += 1) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Control+k')
    await page.keyboard.press('Enter')
    await soon(screen).toContain('four/ $')
    await page.keyboard.press('Control+r')
    await page.keyboard.type('thr')
    await soon(screen).toContain("(reverse-i-search)'thr': echo one three")
    await page.keyboard.press('Enter')
    await soon(async () => times(await screen(), 'one three')).toBe(4)
  })

  longTest('leaves the keys of the page to the page', async () => {
    const { page, screen } = await openTerminal()
    for (const key of ['Control+k', 'Control+p']) {
      await page.keyboard.press(key)
      await page.locator('.palette').waitFor()
      await page.keyboard.press('Escape')
      await page.locator('.palette').waitFor({ state: 'detached' })
      await page.locator('.xterm-helper-textarea').focus()
    }
    await page.keyboard.press('Control+o')
    await page.getByRole('heading', { name: 'Open a workspace' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await screen()).toMatch(/\/ \$$/)
  })
})

describe('pasted text', () => {
  const heredoc = "cat > k.txt <<'EOF'\nhello\nrm -rf src\nEOF\n"

  test('runs as one script, and only with Enter', async () => {
    const { page, rows, screen, row } = await openTerminal()
    await row('/src').waitFor()
    await pasteInto(page, heredoc)
    await soon(async () => (await rows()).filter((each) => each !== '').slice(-4)).toEqual([
      "/ $ cat > k.txt <<'EOF'",
      '> hello',
      '> rm -rf src',
      '> EOF',
    ])
    expect(await row('/k.txt').count()).toBe(0)
    await page.keyboard.press('Enter')
    await row('/k.txt').waitFor()
    await page.keyboard.type('wc -l k.txt; ls -d src')
    await page.keyboard.press('Enter')
    await soon(screen).toContain('2 k.txtsrc/ $')
    expect(await row('/src').count()).toBe(1)
  })

  testInTurn(
    'by Ctrl V, from a picker and from an input method arrives, and a reload keeps what was entered',
    async () => {
      const { page, screen, panel } = await openTerminal()
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.evaluate(() => navigator.clipboard.writeText('echo "pasted '))
      await page.keyboard.press('Control+v')
      await soon(screen).toContain('/ $ echo "pasted')
      await page.keyboard.insertText('🎉')
      const session = await page.context().newCDPSession(page)
      await session.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 })
      await session.send('Input.insertText', { text: '日本' })
      await soon(screen).toContain('echo "pasted 🎉日本')
      await page.keyboard.press('Enter')
      await page.keyboard.type('two"')
      await page.keyboard.press('Enter')
      await soon(screen).toContain('> two"pasted 🎉日本two/ $')
      await page.reload()
      await panel('Terminal')
      await soon(screen).toContain('/ $')
      await page.keyboard.press('ArrowUp')
      await soon(screen).toContain('/ $ echo "pasted 🎉日本> two"')
    },
  )
})

/** What the browser does with the clipboard's text. */
async function pasteInto(page: Page, text: string): Promise<void> {
  await page.locator('.xterm-helper-textarea').evaluate((element, pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, text)
}

describe('a command in the terminal', () => {
  testInTurn('stays whole when the window is resized, and clear leaves nothing', async () => {
    const { page, rows, screen } = await openTerminal()
    const long = `echo ${'abcdefghij'.repeat(12)}`
    await page.keyboard.type(long)
    await soon(screen).toContain(`/ $ ${long}`)
    for (const width of [700, 1100, 500]) {
      await page.setViewportSize({ width, height: 800 })
      await soon(screen).toContain(`/ $ ${long}`)
    }
    expect(times(await screen(), 'echo')).toBe(1)
    await page.keyboard.press('Control+u')
    await page.keyboard.type('clear')
    await page.keyboard.press('Enter')
    await soon(async () => (await rows()).filter((each) => each !== '')).toEqual(['/ $'])
  })

  test('shows output and errors in order, as they are written', async () => {
    const { page, rows, screen, type } = await openTerminal()
    await type('echo one; ls missing; echo two; sleep 600')
    await soon(async () => (await rows()).filter((row) => /^(one|two|ls: )/.test(row))).toEqual([
      'one',
      "ls: cannot access 'missing': No such file or directory",
      'two',
    ])
    expect(await page.locator('.terminal[aria-busy=true]').count()).toBe(1)
    await page.getByRole('button', { name: 'Stop', exact: true }).and(page.locator(':enabled')).click()
    await soon(screen).toMatch(/\[(aborted|exit code 130)\]/)
    expect(times(await screen(), 'two')).toBe(2)
  })

  longTest('is shown in the colours that it asks for, and has none left afterwards', async () => {
    const { page, screen, type } = await openTerminal()
    await type("printf '\\033[32mgreen\\033[0m plain\\n'; echo after")
    await soon(screen).toContain('green plain')
    const colourOf = (text: string) =>
      page
        .locator('.xterm-rows span')
        .filter({ hasText: new RegExp(`^${text}`) })
        .last()
        .evaluate((each) => getComputedStyle(each).color)
    const [green, plain, after] = await Promise.all(['green', ' plain', 'after'].map(colourOf))
    expect(green).toBe('rgb(19, 108, 51)')
    expect(plain).toBe(after)
    expect(plain).not.toBe(green)
  })

  longTest('commits with a default identity, which git config replaces', async () => {
    const { screen, type } = await openTerminal()
    await type("git init -q && git add . && git commit -qm First && git log --format='%an <%ae> %s'")
    await soon(screen).toContain('Playground <playground@localhost> First')
    await type("git config user.name Ann && git commit -q --allow-empty -m Second && git log -1 --format='%an %s'")
    await soon(screen).toContain('Ann Second')
  })
})
