/** Opens the page in the user's browser. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** The browser reads the file within this time. */
const keptMs = 60_000

/**
 * Through a file that leads to the address and that only this user can read: every user of the machine can see the arguments of a
 * command. False where there is no browser to open.
 */
export function openInBrowser(address: string, folder: string): boolean {
  const [command, ...args] = opener(process.platform, process.env)
  if (command === undefined) return false
  const file = path.join(folder, `open-${randomBytes(6).toString('hex')}.html`)
  fs.writeFileSync(file, redirect(address), { mode: 0o600, flag: 'wx' })
  setTimeout(() => fs.rmSync(file, { force: true }), keptMs).unref()
  process.once('exit', () => fs.rmSync(file, { force: true }))
  spawn(command, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
  return true
}

function opener(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string[] {
  if (env.BROWSER) return [env.BROWSER]
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : []
}

function redirect(address: string): string {
  // Characters of the address: letters, digits and a few signs, none of which has a meaning in HTML.
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>polyfs</title>
<meta http-equiv="refresh" content="0; url=${address}">
`
}
