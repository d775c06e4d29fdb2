/** Whatever people, tools and reloads do at the same time, what was typed is in a file, in the history, or in a question on the screen. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Random, randomFrom } from '../../core/search/generated-trees.js'
import { isFull } from '../../scale.js'
import { chromiumOptions } from '../chromium.js'
import { complaints, playgroundOn, soon, watch } from './playground-page.js'
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

const seeds = isFull ? [1, 2, 3, 4, 5, 6, 7, 8] : [1]
const actions = isFull ? 80 : 20
/** Words that nothing on the page has taken. */
const notTyped = new Set<string>()
const names = ['/one.txt', '/two.txt', '/in/three.txt', '/in/four.txt']

test.each(seeds)('nothing typed is lost, seed %i', async (seed) => {
  const random = randomFrom(seed)
  const context = await browser.newContext({ serviceWorkers: 'block' })
  watch(context)
  const pages = [await openTab(context), await openTab(context)] as const
  await tool(pages[0], 'bash', {
    command: "mkdir -p in; for f in one two in/three in/four; do printf 'a\\r\\nb\\r\\n' > $f.txt; done",
  })
  const typed: string[] = []
  const done: string[] = []
  for (let count = 0; count < actions; count += 1) {
    const which = random(2) as 0 | 1
    const page = pages[which]
    const action = await act(page, random, () => {
      const word = `word${seed}x${typed.length}${which === 0 ? 'a' : 'b'}`
      typed.push(word)
      return word
    })
    done.push(`${which} ${action}`)
  }
  for (const page of pages) await soon(() => isSettled(page)).toBe(true)
  const known = await everythingKnown(pages[0])
  const asked = (await Promise.all(pages.map(questionTexts))).flat()
  const lost = typed.filter((word) => !notTyped.has(word) && ![...known, ...asked].some((text) => text.includes(word)))
  if (lost.length > 0) throw new Error(`Lost: ${lost.join(', ')}\n${done.join('\n')}`)
  expect(typed.filter((word) => !notTyped.has(word)).length).toBeGreaterThan(actions / 10)
})

async function openTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  // Leaving is always confirmed, also while something is not saved.
  page.on('dialog', (dialog) => void dialog.accept().catch(() => {}))
  await page.goto(`${site.url}#workspace=opfs:typing`)
  await page.locator('.place', { hasText: 'typing' }).waitFor()
  return page
}

/** Does one random thing, and says what. */
async function act(page: Page, random: Random, nextWord: () => string): Promise<string> {
  const name = names[random(names.length)] as string
  const other = names[random(names.length)] as string
  const kind = random(18)
  if (kind < 8) return typeInto(page, name, random, nextWord)
  if (kind < 10) return tool(page, 'write_file', { path: name, content: `by a tool ${random(1000)}\n` })
  if (kind === 10) return tool(page, 'move', { from: name, to: other, overwrite: true })
  if (kind === 11) return tool(page, 'delete', { path: name })
  if (kind < 14) return tool(page, 'history', { action: 'undo' })
  if (kind === 14) return tool(page, 'bash', { command: `echo shell >> .${name}; mv -f .${name} .${other}` })
  if (kind === 15) return closeATab(page)
  if (kind === 16) {
    await page.waitForTimeout(random(1200))
    return 'wait'
  }
  await page.reload()
  await page.locator('.place', { hasText: 'typing' }).waitFor()
  return 'reload'
}

async function typeInto(page: Page, name: string, random: Random, nextWord: () => string): Promise<string> {
  // Most have been moved away or deleted after a while.
  await tool(page, 'bash', { command: `mkdir -p in; [ -e .${name} ] || echo again > .${name}` })
  await page.evaluate((path) => location.assign(`#workspace=opfs:typing&file=${encodeURIComponent(path)}`), name)
  const text = page.locator('.editors .cm-content:not([aria-readonly=true])').filter({ visible: true })
  const isOpen = await text.waitFor({ timeout: 5000 }).then(
    () => true,
    () => false,
  )
  if (!isOpen) return `nothing to type into at ${name}`
  await text.focus()
  if (random(2) === 0) await page.keyboard.press('Control+End')
  const word = nextWord()
  await page.keyboard.insertText(`${word} `)
  // Another tab may have come to the front in between, so that nothing had the focus.
  const isTyped = await page.evaluate((each) => document.activeElement?.textContent?.includes(each) === true, word)
  if (!isTyped) {
    notTyped.add(word)
    return `could not type ${word}`
  }
  if (random(3) === 0) await page.keyboard.press('Enter')
  return `type ${word} into ${await text.getAttribute('aria-label')}`
}

async function tool(page: Page, name: string, args: object): Promise<string> {
  const failed = await page.evaluate(
    async ([tool, given]) => {
      const { polyfs } = globalThis as unknown as { polyfs: Files }
      return (await polyfs.callTool(tool, given)).isError === true
      interface Files {
        callTool(name: string, args: unknown): Promise<{ isError?: boolean }>
      }
    },
    [name, args] as const,
  )
  return `${name} ${JSON.stringify(args)}${failed ? ' failed' : ''}`
}

/** Closes the active tab; its question, if there is one, is answered with "Keep mine" or not at all. */
async function closeATab(page: Page): Promise<string> {
  const tab = page.locator('.editors .tab.active button.icon')
  if ((await tab.count()) === 0) return 'nothing to close'
  await tab.click()
  const dialog = page.locator('dialog[open]')
  const isAsked = await dialog.waitFor({ timeout: 1000 }).then(
    () => true,
    () => false,
  )
  if (!isAsked) return 'close'
  const keep = dialog.getByRole('button', { name: 'Keep mine' })
  await ((await keep.count()) > 0 ? keep : dialog.getByRole('button', { name: 'Cancel' })).click()
  await dialog.waitFor({ state: 'detached' })
  return 'close, asked'
}

/** No tab is unsaved, except those with a question. */
async function isSettled(page: Page): Promise<boolean> {
  for (const tab of await page.locator('.editors [role=tab]').all()) {
    await tab.click()
    const isUnsaved = ((await tab.textContent()) ?? '').startsWith('●')
    if (isUnsaved && !(await page.locator('.editors .banner').filter({ visible: true }).count())) return false
  }
  return true
}

/** The texts that were typed and wait for an answer. */
async function questionTexts(page: Page): Promise<string[]> {
  const texts: string[] = []
  for (const tab of await page.locator('.editors [role=tab]').all()) {
    await tab.click()
    if ((await page.locator('.editors .banner').filter({ visible: true }).count()) === 0) continue
    texts.push(await playgroundOn(page).page.locator('.editors .cm-content').first().innerText())
  }
  return texts
}

/** Every version of every file: what the history has, and what is there now. */
function everythingKnown(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { polyfs } = globalThis as unknown as { polyfs: Files }
    const decoder = new TextDecoder()
    const texts: string[] = []
    for (const { id } of await polyfs.run('listChanges', {})) {
      for (const { bytesBefore, bytesAfter } of await polyfs.run('compareVersions', { only: id })) {
        for (const bytes of [bytesBefore, bytesAfter]) if (bytes) texts.push(decoder.decode(bytes))
      }
    }
    return texts
    interface Files {
      run(name: 'listChanges', input: object): Promise<Array<{ id: string }>>
      run(name: 'compareVersions', input: object): Promise<Array<{ bytesBefore?: Uint8Array; bytesAfter?: Uint8Array }>>
    }
  })
}
