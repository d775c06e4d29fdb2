/** `npm run screenshots`: takes the pictures of the playground that the documents show, from the server as it is shipped. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { folder, openSite } from './shipped-site.mjs'

const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

const { url, browser, close } = await openSite()
try {
  await mkdir(folder, { recursive: true })
  await take('light', { colorScheme: 'light', viewport: desktop }, afterDemo)
  await take('dark', { colorScheme: 'dark', viewport: desktop }, history)
  await take('connect', { colorScheme: 'light', viewport: desktop, serviceWorkers: 'allow' }, connect)
  await take('phone', { colorScheme: 'light', viewport: phone, hasTouch: true }, tools)
} finally {
  await close()
}

async function take(name, options, prepare) {
  const page = await browser.newPage({ serviceWorkers: 'block', ...options })
  await page.goto(`${url}#fast=1`)
  await page.locator('.row').first().waitFor()
  await prepare(page)
  // Temporary messages do not belong in the picture.
  await page.addStyleTag({ content: '.notices { display: none }' })
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
  await page.close()
}

async function afterDemo(page) {
  await page.getByRole('button', { name: 'Demo', exact: true }).click()
  await page.getByText('The demo has ended').waitFor()
  await page.getByRole('button', { name: 'Look at the demo’s files' }).click()
  await page.locator('.cm-content').waitFor()
  await page.locator('.row[data-path="/src"]').click()
  await page.locator('.call[data-tool=edit_file]').nth(1).scrollIntoViewIfNeeded()
}

async function history(page) {
  await afterDemo(page)
  await page.getByRole('tab', { name: 'History' }).click()
  await page.locator('.change', { hasText: /^edit/ }).first().click()
  await page.locator('.change-details button.path').first().click()
  await page.locator('.cm-changedLine').first().waitFor()
  await page.getByRole('tab', { name: 'Terminal' }).click()
  await page.locator('.xterm-helper-textarea').waitFor({ state: 'attached' })
  await page.keyboard.type('grep -rn tide src | head -3\r')
  await page.locator('.xterm-accessibility', { hasText: 'berths.ts:' }).waitFor({ state: 'attached' })
}

async function tools(page) {
  await page.getByRole('navigation').getByRole('button', { name: 'Agent' }).click()
  await page.locator('#tool').selectOption('grep')
}

async function connect(page) {
  await page.getByRole('tab', { name: 'Connect' }).click()
  await page.getByLabel('On your computer: code').waitFor()
  await page.waitForFunction(() => document.querySelector('.address')?.value)
  const divider = page.getByRole('separator', { name: 'Height of the tools' })
  await divider.focus()
  for (let count = 0; count < 10; count += 1) await page.keyboard.press('ArrowUp')
  await divider.blur()
}
