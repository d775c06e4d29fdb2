/** `npm run screenshots`: takes the pictures of the playground that the documents show, from the server as it is shipped. */
import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = join(root, 'docs/screenshots')
const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

const server = spawn(process.execPath, [join(root, 'dist/node/cli.js'), '--memory', '--http', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const executablePath = process.env.POLYFS_CHROMIUM
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : { channel: 'chromium' }),
  args: ['--no-sandbox', '--disable-gpu'],
})
try {
  await mkdir(folder, { recursive: true })
  const url = await pageAddress()
  await take('light', { colorScheme: 'light', viewport: desktop }, afterDemo)
  await take('dark', { colorScheme: 'dark', viewport: desktop }, history)
  await take('phone', { colorScheme: 'light', viewport: phone, hasTouch: true }, tools)

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
} finally {
  await browser.close()
  server.kill()
}

async function pageAddress() {
  for await (const line of createInterface({ input: server.stdout })) {
    const [, address] = /Open (\S+) for the playground/.exec(line) ?? []
    if (address) return address
  }
  throw new Error('No playground was built: node build/build.mjs cli playground')
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
