/** The protocol's own conformance suite, in both published versions. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface SuiteRun {
  /** The package's alias in this project. */
  line: 'conformance-0.1' | 'conformance-0.2'
  args: readonly string[]
  /** The endpoint under test. */
  url: string
}

export interface SuiteResult {
  passed: number
  failed: number
  /** Scenarios with a check that failed, whether or not the suite scores them. */
  failing: string[]
}

const anyNode = new URL('any-node.mjs', import.meta.url).href

/** Runs all server scenarios, and counts checks. */
export async function runSuite({ line, args, url }: SuiteRun): Promise<SuiteResult> {
  const output = await mkdtemp(join(tmpdir(), 'polyfs-conformance-'))
  try {
    const command = ['--import', anyNode, entryOf(line), 'server', '--url', url, ...args, '-o', output]
    const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] })
    let complaints = ''
    child.stderr.on('data', (chunk) => {
      complaints += chunk
    })
    await once(child, 'close')
    const scenarios = await readdir(output)
    if (scenarios.length === 0) throw new Error(`The suite ran nothing: ${complaints}`)
    return await count(output, scenarios)
  } finally {
    await rm(output, { recursive: true })
  }
}

function entryOf(line: SuiteRun['line']): string {
  const file = fileURLToPath(new URL(`../../node_modules/${line}/dist/index.js`, import.meta.url))
  if (!existsSync(file)) throw new Error(`${line} is not installed: npm ci does that`)
  return file
}

/** Each scenario has a directory, named after it and the time. */
async function count(output: string, directories: readonly string[]): Promise<SuiteResult> {
  let passed = 0
  let failed = 0
  const failing = new Set<string>()
  for (const directory of directories) {
    const checks: { status: string }[] = JSON.parse(await readFile(join(output, directory, 'checks.json'), 'utf8'))
    const failures = checks.filter(({ status }) => status === 'FAILURE').length
    passed += checks.filter(({ status }) => status === 'SUCCESS').length
    failed += failures
    if (failures > 0) failing.add(directory.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, ''))
  }
  return { passed, failed, failing: [...failing].sort() }
}
