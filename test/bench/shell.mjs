import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { benchCommands } from './shell-commands.mjs'

const web = fileURLToPath(new URL('../../dist/web', import.meta.url))
const loops = ['while :; do :; done', "awk 'BEGIN { while (1) x++ }'"]
const timeoutMs = 500

export async function benchShell(ours, rows, options) {
  await benchCommands(ours, rows, options)
  if ('busy loops'.includes(options.only)) await benchBusyLoops(ours, rows, options)
}

/** How long after its deadline a busy loop in the emulated shell ends, and how long others wait for an answer meanwhile: 200 ms at most. */
async function benchBusyLoops(ours, rows, { rounds }) {
  const { createWorkspace, memory, emulatedShell } = ours
  const print = (where, all) => {
    for (const { loop, lateMs, waitMs } of all) {
      rows.limit(`a busy loop ends after its deadline, worst of ${rounds}: ${loop} (${where})`, lateMs, 200)
      rows.limit(`a read waits for a busy loop, worst of ${rounds}: ${loop} (${where})`, waitMs, 200)
    }
  }
  const workspace = createWorkspace({
    fs: memory({ 'a.txt': 'a' }),
    shell: emulatedShell({ worker: ours.commandWorker }),
  })
  print('Node', await measure(workspace, { loops, timeoutMs, rounds }))
  await workspace.shell.close()
  if (!existsSync(path.join(web, 'index.js')))
    return rows.note('busy loops in Chromium: not measured, for lack of dist/web (npm run build)')
  print('Chromium', await inChromium({ loops, timeoutMs, rounds }))
}

/** Also runs in a page, so it uses nothing from outside. */
async function measure(workspace, { loops, timeoutMs, rounds }) {
  const exec = (command) => workspace.shell.exec({ command, cwd: '/', timeoutMs, maxStreamBytes: 1000 })
  await exec('true')
  const results = []
  for (const loop of loops) {
    let lateMs = 0
    let waitMs = 0
    for (let round = 0; round < rounds; round += 1) {
      // The command before may have ended the worker; a new one is loaded before the measurement.
      await exec('true')
      let running = true
      const reader = (async () => {
        while (running) {
          const asked = performance.now()
          await workspace.fs.readFile('/a.txt')
          waitMs = Math.max(waitMs, performance.now() - asked)
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      })()
      const started = performance.now()
      const { ended } = await exec(loop)
      lateMs = Math.max(lateMs, performance.now() - started - timeoutMs)
      running = false
      await reader
      if (ended !== 'timeout') throw new Error(`${loop} ended otherwise: ${ended}`)
    }
    results.push({ loop, lateMs, waitMs })
  }
  return results
}

async function inChromium(options) {
  const { launchChromium } = await import('./browser.mjs')
  const server = createServer(async ({ url }, response) => {
    const file = path.join(web, path.normalize(url))
    if (url === '/') return response.setHeader('content-type', 'text/html').end('<!doctype html>')
    if (!file.startsWith(web) || !existsSync(file)) return response.writeHead(404).end()
    response.setHeader('content-type', 'text/javascript').end(await readFile(file))
  })
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${server.address().port}/`)
    return await page.evaluate(`(async () => {
      const [{ emulatedShell }, { createWorkspace, memory }] = await Promise.all([import('/bash.js'), import('/core.js')])
      const workspace = createWorkspace({ fs: memory({ 'a.txt': 'a' }), shell: emulatedShell() })
      return (${measure})(workspace, ${JSON.stringify(options)})
    })()`)
  } finally {
    await browser.close()
    server.close()
  }
}
