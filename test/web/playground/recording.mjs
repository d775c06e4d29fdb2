/** `npm run recording`: records the demo from the server as it is shipped, as a picture that moves (docs/screenshots/demo.png). */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { animated } from './apng.mjs'
import { folder, openSite } from './shipped-site.mjs'

const size = { width: 1200, height: 675 }
/** How much smaller it is shown. */
const scale = 0.8
const lengthMs = 30_000
const intervalMs = 400
/** The last picture stays a little. */
const endMs = 2500

const { url, browser, close } = await openSite()
try {
  const page = await browser.newPage({ serviceWorkers: 'block', colorScheme: 'light', viewport: size })
  await page.goto(`${url}#workspace=memory`)
  await page.locator('#field-path').waitFor()
  // Temporary messages do not belong in the picture.
  await page.addStyleTag({ content: '.notices { display: none }' })
  const session = await page.context().newCDPSession(page)
  const frames = []
  const began = performance.now()
  await take()
  await page.getByRole('button', { name: 'Watch the demo' }).click()
  while (!(await page.getByText('The demo has ended').isVisible())) {
    await sleep(intervalMs)
    await take()
  }
  await take()
  const lasted = performance.now() - began
  // The demo is slow enough to read along; the recording shows it somewhat faster.
  const pace = (lengthMs - endMs) / lasted
  const timed = frames.map(({ png, atMs }, index) => {
    const next = frames[index + 1]?.atMs
    return { png, delayMs: Math.round(next === undefined ? endMs : (next - atMs) * pace) }
  })
  const recording = animated(timed)
  await writeFile(join(folder, 'demo.png'), recording)
  console.error(`docs/screenshots/demo.png: ${frames.length} frames, ${Math.round(recording.length / 1000)} kB`)

  async function take() {
    const clip = { x: 0, y: 0, ...size, scale }
    const { data } = await session.send('Page.captureScreenshot', { format: 'png', clip })
    frames.push({ png: Buffer.from(data, 'base64'), atMs: performance.now() - began })
  }
} finally {
  await close()
}
