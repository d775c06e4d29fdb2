/** Writes the counts and failures of a vitest run to the file named in POLYFS_TEST_SUMMARY. */
import { writeFileSync } from 'node:fs'

export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    const skipReasons = new Map()
    const faults = []
    const failures = []
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const result = test.result()
        count[result.state]++
        if (result.state === 'failed') {
          const reason = result.errors[0]?.message.split('\n', 1)[0]
          failures.push(`failed: ${module.relativeModuleId} > ${test.fullName}: ${reason}`)
        }
        if (result.state !== 'skipped') continue
        const reason = result.note ?? skippedSuite(test) ?? 'no reason given'
        skipReasons.set(reason, (skipReasons.get(reason) ?? 0) + 1)
      }
      for (const owner of [module, ...module.children.allSuites()]) {
        if (owner.errors().length === 0) continue
        faults.push(['failed outside a test:', module.relativeModuleId, owner.fullName].filter(Boolean).join(' '))
      }
    }
    faults.sort()
    if (count.pending > 0) faults.push(`${count.pending} tests never ended`)
    for (const error of unhandledErrors) faults.push(`unhandled: ${error.message}`)
    writeFileSync(
      process.env.POLYFS_TEST_SUMMARY,
      JSON.stringify({ ...count, failures, faults, skipReasons: [...skipReasons] }),
    )
  }
}

/** The name of the suite that is skipped as a whole, and says why. */
function skippedSuite(test) {
  for (let at = test.parent; at?.type === 'suite'; at = at.parent) if (at.options.mode === 'skip') return at.name
  return undefined
}
