import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const printer = fileURLToPath(new URL('../harness/determinism/print-transcript.mjs', import.meta.url))

/** For tests in a page, which compare it with their own: the transcript of the built project in Node. */
export async function transcriptInNode(): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [printer], { maxBuffer: 2 ** 28 })
  return JSON.parse(stdout)
}
