import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

/** The directory below which a host of several sites would have it. */
export const siteBase = '/polyfs/'

/** Builds the site into a directory that is removed after the test. */
export async function buildSite(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'polyfs-site-'))
  onTestFinished(() => rm(place, { recursive: true, force: true }))
  const out = join(place, 'site')
  const program = fileURLToPath(new URL('../../build/site/site.mjs', import.meta.url))
  await promisify(execFile)(process.execPath, [program, '--out', out, '--base', siteBase])
  return out
}
