/** The playground as it is shipped, for the scripts that take its pictures. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'

const root = fileURLToPath(new URL('../../..', import.meta.url))
export const folder = join(root, 'docs/screenshots')

/** Starts the command and a browser. */
export async function openSite() {
  const server = spawn(process.execPath, [join(root, 'dist/node/cli.js'), '--memory', '--http', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const executablePath = process.env.POLYFS_CHROMIUM
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : { channel: 'chromium' }),
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const close = async () => {
    await browser.close()
    server.kill()
  }
  try {
    return { url: await pageAddress(server.stdout), browser, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The address of the page, which is the one that does not end in `mcp`. */
async function pageAddress(output) {
  for await (const line of createInterface({ input: output })) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+\/(?=\s|$)/.exec(line) ?? []
    if (address) return address
  }
  throw new Error('No playground was built: node build/build.mjs cli playground')
}
