/**
 * `node test/record-shell-scripts.mjs [AREA]...`: runs the scripts in test/data/shell/scripts, or those of the areas, on this machine's bash, each in an empty directory, and records what
 * they print, their exit code and the files they leave in test/data/shell/recorded.json. Needs GNU bash 5.2 and the programs of Debian 12, and runs them as a user who is not root.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const data = fileURLToPath(new URL('./data/shell', import.meta.url))
const timeoutMs = 30_000
/** Root would be stopped by no permission bits. */
const user = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {}

/** Pipes belong to who makes them: this way the script may open /dev/stdout. */
const runner = `env -u SHLVL -u OLDPWD bash -c "$1" 2> /dev/null | cat; exit \${PIPESTATUS[0]}`

const base = fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-record-'))
fs.chmodSync(base, 0o755)
const areas = process.argv.slice(2)
const before = JSON.parse(fs.readFileSync(path.join(data, 'recorded.json'), 'utf8')).cases
const cases = []
for (const file of fs.readdirSync(path.join(data, 'scripts')).sort()) {
  const category = path.basename(file, '.txt')
  if (areas.length > 0 && !areas.includes(category)) continue
  const scripts = fs.readFileSync(path.join(data, 'scripts', file), 'utf8').split(/^---\n/m)
  for (const [index, text] of scripts.entries()) {
    const script = text.trim()
    if (script === '') continue
    cases.push({ id: `${category}.${index + 1}`, category, tree: 'empty', script, expected: run(script, 'one') })
  }
}
// The second time is later and elsewhere: what tells the time or where it runs comes out differently.
const stable = cases.filter(({ id, script, expected }) => {
  const isStable = JSON.stringify(run(script, 'another')) === JSON.stringify(expected)
  if (!isStable) console.error(`${id} differs from run to run, left out:\n${script}\n`)
  return isStable
})
fs.rmSync(base, { recursive: true })
const others = areas.length === 0 ? [] : before.filter(({ category }) => !areas.includes(category))
const all = [...others, ...stable].sort((a, b) => (a.category < b.category ? -1 : a.category > b.category ? 1 : 0))
fs.writeFileSync(
  path.join(data, 'recorded.json'),
  `${JSON.stringify({ trees: { empty: [] }, cases: all }, undefined, 1)}\n`,
)
console.log(`${stable.length} scripts recorded, ${all.length} in all`)

function run(script, place) {
  const directory = path.join(base, place)
  fs.rmSync(directory, { recursive: true, force: true })
  fs.mkdirSync(directory)
  if (user.uid !== undefined) fs.chownSync(directory, user.uid, user.gid)
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: directory,
    USER: 'user',
    LOGNAME: 'user',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'dumb',
    SHELL: '/bin/bash',
    GIT_AUTHOR_NAME: 'Ann Dev',
    GIT_AUTHOR_EMAIL: 'ann@example.com',
    GIT_COMMITTER_NAME: 'Ann Dev',
    GIT_COMMITTER_EMAIL: 'ann@example.com',
    GIT_AUTHOR_DATE: '2024-06-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2024-06-01T00:00:00Z',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
  }
  const { stdout, status } = spawnSync('bash', ['-c', runner, 'bash', script], {
    ...user,
    cwd: directory,
    env,
    // With a socket bash would take itself for a remote shell, and read the user's settings.
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    maxBuffer: 1 << 28,
  })
  return { stdout: described(stdout), exitCode: status, changes: changesIn(directory) }
}

function changesIn(directory, below = '', changes = {}) {
  for (const name of fs.readdirSync(path.join(directory, below)).sort()) {
    if (name === '.git') continue
    const relative = path.join(below, name)
    const at = path.join(directory, relative)
    const stat = fs.lstatSync(at)
    if (stat.isSymbolicLink()) changes[relative] = { link: fs.readlinkSync(at) }
    else if (/\.(tgz|tar|gz|zip|tbz|xz|bz2|diff|patch)$/.test(name)) changes[relative] = { any: true }
    else if (stat.isFile()) changes[relative] = { ...described(readable(at)), ...(stat.mode & 0o100 && { exec: true }) }
    else if (stat.isDirectory()) {
      changes[relative] = { dir: true }
      changesIn(directory, relative, changes)
    }
  }
  return changes
}

function readable(file) {
  fs.chmodSync(file, fs.statSync(file).mode | 0o400)
  return fs.readFileSync(file)
}

function described(bytes) {
  if (bytes.length > 8192) return { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') }
}
