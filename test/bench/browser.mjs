import { existsSync } from 'node:fs'
import { chromium } from 'playwright'

/** The browser that tests use: the one named, the system's, or Playwright's own. */
export function launchChromium() {
  const executablePath = process.env.POLYFS_CHROMIUM ?? ['/usr/bin/chromium'].find((each) => existsSync(each))
  return chromium.launch({ args: ['--no-sandbox', '--disable-gpu'], ...(executablePath && { executablePath }) })
}
