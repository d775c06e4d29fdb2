/** Run by a runtime: the contract of file systems on its disk. Prints the report as JSON. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contractCases, runCase, skipReason } from '../../dist/contract/index.js'
import { nodeFs } from '../../dist/node/index.js'

/** Wine has none, whatever the file system says. */
const hasLinks = process.platform !== 'win32'
function withoutLinks({ symlink: _, readLink: __, ...files }) {
  return { ...files, capabilities: { ...files.capabilities, symlinks: false } }
}

const report = { passed: 0, skipped: 0, failed: [] }
for (const each of contractCases) {
  const root = mkdtempSync(join(tmpdir(), 'polyfs-contract-'))
  const files = nodeFs(root, { fsync: false, anchor: process.argv[2] })
  const target = { fs: hasLinks ? files : withoutLinks(files), base: '/base' }
  if (skipReason(target, each, {}) !== undefined) report.skipped++
  else {
    try {
      await runCase(target, each)
      report.passed++
    } catch (error) {
      report.failed.push(`${each.name}: ${error.message}`)
    }
  }
  files.close()
  rmSync(root, { recursive: true, force: true })
}
console.log(JSON.stringify(report))
process.exit(0)
