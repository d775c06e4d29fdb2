/** A server at work on its own copy of the repository, with counts of what a model would write and read. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { connect } from '../../bench/stdio-client.mjs'
import { within } from '../within.mjs'
import { writeRepository } from './repository/index.mjs'

/** Stands for the root in what is counted, so that the place of temporary files makes no difference. */
const shownRoot = '/repository'

/**
 * Makes a fresh copy and starts the server on it. `start(root)` returns the command line.
 *
 * @param {(root: string) => string[]} start
 * @param {{ patienceMs?: number, maxResultBytes?: number }} [options] `maxResultBytes` cuts longer results, as hosts of agents do
 */
export async function openSession(start, { patienceMs = 60_000, maxResultBytes = Infinity } = {}) {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'polyfs-agents-')))
  const root = path.join(home, 'repository')
  writeRepository(root)
  const client = connect({ args: start(root), cwd: root, env: serverEnvironment(home) })
  const counts = { calls: 0, failed: 0, sentBytes: 0, receivedBytes: 0 }
  const close = () => {
    client.kill()
    fs.rmSync(home, { recursive: true, force: true })
  }

  const request = async (method, params) => {
    const message = await within(patienceMs, client.request(method, params))
    if (message === undefined) throw new Error(`the server did not answer ${method}`)
    return message
  }

  try {
    await request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'compare', version: '1' },
    })
    client.notify('notifications/initialized')
    const { result } = await request('tools/list', {})
    return { root, tools: result.tools, counts, call, reject, close }
  } catch (error) {
    close()
    throw error
  }

  /** Calls a tool. A server that does not answer is a failed call. */
  async function call(name, args) {
    const message = await within(patienceMs, client.request('tools/call', { name, arguments: args }))
    const isError = message === undefined || message.error !== undefined || message.result.isError === true
    return count(JSON.stringify({ name, arguments: args }), isError, textOf(message))
  }

  /** Counts a call that can't be made, because what the model wrote is not a call. */
  function reject(written, reason) {
    return count(written, true, reason)
  }

  function count(sent, isError, text) {
    const shown = cut(text.replaceAll(root, shownRoot), maxResultBytes)
    counts.calls += 1
    counts.failed += isError ? 1 : 0
    counts.sentBytes += Buffer.byteLength(sent.replaceAll(root, shownRoot))
    counts.receivedBytes += Buffer.byteLength(shown)
    return { isError, text: shown }
  }
}

/** The bytes of the list of tools, which a model reads before its first call. */
export function listingBytes(tools) {
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return Buffer.byteLength(JSON.stringify(shown))
}

/** Without the variables of the caller: a key of a model's API must not reach a server. */
function serverEnvironment(home) {
  const { PATH, SystemRoot } = process.env
  return { PATH, SystemRoot, HOME: home, TMPDIR: home, POLYFS_STATE_DIR: path.join(home, 'state') }
}

/** What a model is shown of a result. Structured content is left out: both servers repeat in it what the text says. */
function textOf(message) {
  if (message === undefined) return 'no answer'
  if (message.error !== undefined) return message.error.message
  return message.result.content.map((part) => part.text ?? part.data ?? part.resource?.blob ?? '').join('\n')
}

function cut(text, maxBytes) {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  return `${bytes.subarray(0, maxBytes).toString()}\n[cut: the result has ${bytes.length} bytes]`
}
