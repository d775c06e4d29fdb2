import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright'
import { expect } from 'vitest'
import { patienceMs } from '../chromium.js'

/** What a user sees and does in the playground, by the names on the screen. */
export interface Playground {
  page: Page
  /** Opens one of the panels. */
  panel(name: string): Promise<void>
  row(path: string): Locator
  /** Names in the tree, in order, with their badges. */
  rows(): Promise<string[]>
  /** Shows a file and waits for its text. */
  show(path: string): Promise<Locator>
  /** Answers a dialog that asks for text. */
  answer(text: string, accept: string): Promise<void>
  /** Calls a tool from the tools panel with raw arguments; returns the text of its result. */
  call(tool: string, args: object): Promise<string>
  /** Types a command into the terminal. */
  type(command: string): Promise<void>
  /** Notifications that stay. */
  failures(): Promise<string[]>
}

/** Console errors and warnings of all pages. */
export const complaints: string[] = []

/** Waits until a value is as expected. */
export function soon<Value>(read: () => Value | Promise<Value>) {
  return expect.poll(read, { timeout: patienceMs, interval: 50 })
}

export function watch(context: BrowserContext): void {
  context.setDefaultTimeout(patienceMs)
  context.on('console', (message) => {
    if (message.text() === 'Service Worker registration blocked by Playwright') return
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(String(error.error())))
}

/** Opens the playground in a new browser profile. Service workers are blocked unless a test is about them: each caches a copy. */
export async function openPlayground(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Playground> {
  const context = await browser.newContext({ serviceWorkers: 'block', acceptDownloads: true, ...options })
  watch(context)
  const page = await context.newPage()
  await page.goto(address)
  const opened = playgroundOn(page)
  await page.locator('.place', { hasText: '·' }).waitFor()
  return opened
}

export function playgroundOn(page: Page): Playground {
  const row = (path: string) => page.locator(`.row[data-path="${quoted(path)}"]`)
  const panel = async (name: string) => page.getByRole('tab', { name, exact: true }).click()
  return {
    page,
    panel,
    row,
    rows: () =>
      page.locator('.row').evaluateAll((all) =>
        all.map((each) =>
          [...each.querySelectorAll(':scope > :not(.unseen)')]
            .map((part) => part.textContent)
            .join(' ')
            .replace('⋯', '')
            .trim(),
        ),
      ),
    async show(path) {
      await row(path).click()
      const content = page.locator(`.cm-content[aria-label="${quoted(path)}"]`)
      await content.waitFor()
      return content
    },
    async answer(text, accept) {
      const dialog = page.locator('dialog[open]')
      await dialog.locator('input').fill(text)
      await dialog.getByRole('button', { name: accept, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
    },
    async call(tool, args) {
      await panel('Tools')
      await page.locator('.tools form button[type=submit]:enabled').waitFor()
      await page.getByLabel('Tool', { exact: true }).selectOption(tool)
      await page.getByRole('checkbox', { name: 'Edit as JSON' }).check()
      await page.getByLabel('Arguments as JSON').fill(JSON.stringify(args))
      const made = await page.locator('.calls li').count()
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await soon(() => page.locator('.calls li').count()).toBe(made + 1)
      return (await page.locator('.result pre').first().textContent()) ?? ''
    },
    async type(command) {
      await page.locator('.xterm-helper-textarea').focus()
      await page.keyboard.type(command)
      await page.keyboard.press('Enter')
    },
    failures: () => page.locator('.notice.failed > span').allTextContents(),
  }
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
}
