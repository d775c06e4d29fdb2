/** Writes the counts and failures of a vitest run to the file named in POLYFS_TEST_SUMMARY. */
import { writeFileSync } from 'node:fs'

export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const faults = unhandledErrors.map((error) => `unhandled: ${error.message}`)
    const summary = { files: modules.map(summaryOf), faults }
    writeFileSync(process.env.POLYFS_TEST_SUMMARY, JSON.stringify(summary))
  }
}

/** The counts of one file, its failed tests, and its failures outside of tests. */
function summaryOf(module) {
  const file = module.relativeModuleId
  const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
  const skipReasons = []
  const failures = []
  for (const test of module.children.allTests()) {
    const result = test.result()
    count[result.state]++
    if (result.state === 'failed') {
      const reason = result.errors[0]?.message.split('\n', 1)[0]
      failures.push(`${file} > ${test.fullName}: ${reason}`)
    }
    if (result.state === 'skipped') skipReasons.push(result.note ?? skippedSuite(test) ?? 'no reason given')
  }
  const faults = []
  for (const owner of [module, ...module.children.allSuites()]) {
    if (owner.errors().length === 0) continue
    faults.push(['failed outside a test:', file, owner.fullName].filter(Boolean).join(' '))
  }
  if (count.pending > 0) faults.push(`${count.pending} tests never ended: ${file}`)
  return { file, ...count, failures, faults, skipReasons }
}

/** The name of the suite that is skipped as a whole, and says why. */
function skippedSuite(test) {
  for (let at = test.parent; at?.type === 'suite'; at = at.parent) if (at.options.mode === 'skip') return at.name
  return undefined
}
