/** Chromium, driven by Playwright: what the others are compared with. */
import { chromium } from 'playwright'
import { chromiumOptions, patienceMs } from '../web/chromium.js'
import { asExpression, type DrivenBrowser } from './driven-page.js'

export async function startChromium(): Promise<DrivenBrowser> {
  const browser = await chromium.launch(chromiumOptions)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(patienceMs)
  // Leaving a page with changes in memory asks first.
  page.on('dialog', (dialog) => void dialog.accept())
  return {
    version: browser.version(),
    page: {
      goto: async (url) => void (await page.goto(url)),
      reload: async () => void (await page.reload()),
      evaluate: async (work, ...args) => JSON.parse(await page.evaluate(asExpression(work, args))),
      click: (x, y) => page.mouse.click(x, y),
      type: (text) => page.keyboard.type(text),
      press: (keys) => page.keyboard.press(keys),
    },
    close: () => browser.close(),
  }
}
