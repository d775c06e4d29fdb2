/** Runs the calls and returns everything that could be seen of them. */
import { calls, files } from './calls.mjs'

const startMs = Date.UTC(2026, 0, 1)
const stepMs = 1000

/**
 * A workspace in memory with a clock that moves a second with each call, and over what commands sleep; with randomness from a seed.
 * @param {import('./transcript.mjs').Engine} engine
 */
export function openReproducible({ createWorkspace, memory, shell }) {
  let nowMs = startMs
  let state = 1
  const now = () => nowMs
  const random = () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
  const fs = memory(flat(files), { now })
  const digits = (number, count) => String(number).padStart(count, '0')
  let changes = 0
  const changeIds = (atMs) => {
    changes += 1
    return `${digits(atMs, 15)}-${digits(changes, 8)}-00000000`
  }
  const moveClock = (ms) => {
    nowMs = Math.max(nowMs, ms)
  }
  const workspace = createWorkspace({ fs, now, moveClock, random, changeIds, shell })
  return {
    workspace,
    nextCall() {
      nowMs += stepMs
    },
  }
}

/** @param {import('./transcript.mjs').Engine} engine */
export async function transcript(engine) {
  const { loadDialect, callTool } = engine
  const { workspace, nextCall } = openReproducible(engine)
  const sessions = {}
  const answers = []
  for (const { dialect, tool, args } of calls) {
    nextCall()
    sessions[dialect] ??= {}
    const options = { session: sessions[dialect], onFault: (fault) => answers.push(`fault: ${fault}`) }
    const answer = await callTool(workspace, await loadDialect(dialect), tool, args, options).catch((error) => {
      return { thrown: String(error) }
    })
    answers.push(JSON.stringify({ dialect, tool, args, answer }))
  }
  answers.push(...(await tree(workspace.fs, '/')))
  await workspace.shell?.close()
  return { answers, hash: await sha256(answers.join('\n')) }
}

/** Everything in the tree, with modes, times and contents. */
async function tree(fs, directory) {
  const lines = []
  for (const { name, kind } of await fs.readDir(directory)) {
    const path = directory === '/' ? `/${name}` : `${directory}/${name}`
    const { mode, modifiedMs, size } = await fs.stat(path)
    const content = kind === 'file' ? await sha256(await fs.readFile(path)) : ''
    lines.push(JSON.stringify({ path, kind, mode, modifiedMs, size, content }))
    if (kind === 'directory') lines.push(...(await tree(fs, path)))
  }
  return lines
}

function flat(given) {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, content]) =>
      typeof content === 'string'
        ? [[name, content]]
        : Object.entries(content).map(([inner, text]) => [`${name}${inner}`, text]),
    ),
  )
}

async function sha256(data) {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
