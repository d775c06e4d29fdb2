import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { connect } from '../bench/stdio-client.mjs'
import { within } from './within.mjs'

/** Timeout of a reply. */
const patienceMs = 20_000

/**
 * Runs one case against one server in a directory of its own. `start(root)` returns its command line, `calls` are the calls; paths in
 * them are relative to the root, which is also the server's working directory.
 *
 * @param {(root: string) => string[]} start
 * @param {any[][]} calls
 * @param {{ files: Record<string, any>, prepare?: (root: string) => void, inTurn?: boolean, judge: (run: any) => string | undefined }} one
 */
export async function putThrough(start, calls, one) {
  const { files, prepare, inTurn, judge } = one
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-compare-')))
  const root = path.join(home, 'root')
  fs.mkdirSync(root)
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    fs.writeFileSync(path.join(root, name), content)
  }
  prepare?.(root)
  const client = connect({
    args: start(root),
    cwd: root,
    env: { ...process.env, POLYFS_STATE_DIR: path.join(home, 'state') },
  })
  try {
    await client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'compare', version: '1' },
    })
    client.notify('notifications/initialized')
    const call = ([name, args]) =>
      within(patienceMs, client.request('tools/call', { name, arguments: args })).then(asReply)
    const replies = []
    if (inTurn) for (const given of calls) replies.push(await call(given))
    else replies.push(...(await Promise.all(calls.map(call))))
    return judge({ root, replies })
  } finally {
    client.kill()
    fs.rmSync(home, { recursive: true, force: true })
  }
}

/** A missing message is a failure without text. */
function asReply(message) {
  if (message === undefined) return { isError: true, text: '', bytes: 0 }
  const text = (message.result?.content ?? []).map((part) => part.text ?? '').join('\n') || message.error?.message || ''
  return {
    isError: message.error !== undefined || message.result.isError === true,
    text,
    bytes: Buffer.byteLength(JSON.stringify(message)),
  }
}
