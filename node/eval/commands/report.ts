/** `polyfs eval report`. */
import { htmlReport } from '../../../harness/report/html.js'
import { comparisonText, textReport } from '../../../harness/report/text.js'
import { compareRuns } from '../../../harness/statistics/compare.js'
import { UsageError } from '../../terminal/usage-error.js'
import type { EvalCommand } from '../command.js'
import { parseFlags } from '../flags.js'
import { readRun } from '../results/run-directory.js'
import { type ReadRun, reportedRun, summaryOf } from '../results/write-reports.js'
import { writeWhole } from '../results/write-whole.js'
import { rescoredName } from './rescore.js'

export { reportHelp as help } from '../help.js'

const flags = { compare: 'string', html: 'string', json: 'boolean', rescored: 'boolean' } as const

export const run: EvalCommand = async (argv, { write }) => {
  const { values, positionals } = parseFlags(argv, flags)
  if (positionals.length === 0) throw new UsageError('no run to report; name the directory of one')
  const read = (directory: string): ReadRun => readRun(directory, values.rescored ? rescoredName : undefined)
  const runs = positionals.map(read).map((each) => ({ ...each, summary: summaryOf(each) }))
  const before = values.compare === undefined ? undefined : read(values.compare)
  const comparisons = before === undefined ? [] : runs.map((after) => comparisonOf(before, after))
  if (values.html !== undefined) {
    const compared = values.compare === undefined ? {} : { compared: { name: values.compare, comparisons } }
    await writeWhole(
      values.html,
      await htmlReport({ runs: runs.map((each) => reportedRun(each, each.summary)), ...compared }),
    )
  }
  if (values.json) {
    const shown = runs.map((each, index) => ({
      directory: each.directory,
      summary: each.summary,
      ...(comparisons[index] && { comparison: comparisons[index] }),
    }))
    write(`${JSON.stringify(shown, null, 2)}\n`)
    return 0
  }
  for (const [index, each] of runs.entries()) {
    write(`${index > 0 ? '\n' : ''}${each.directory}\n${textReport(each.summary)}`)
    const comparison = comparisons[index]
    if (comparison !== undefined) write(`compared with ${values.compare}\n${comparisonText(comparison)}`)
  }
  return 0
}

function comparisonOf(before: ReadRun, after: ReadRun) {
  return compareRuns({ before: before.results, after: after.results }, { seed: after.file.settings.seed })
}
