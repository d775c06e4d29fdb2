/** Writes what can be read of a run: `summary.json`, `junit.xml` and `report.html`. */
import path from 'node:path'
import { htmlReport, type ReportedRun } from '../../../harness/report/html.js'
import { junitReport } from '../../../harness/report/junit.js'
import type { EpisodeResult } from '../../../harness/run-types.js'
import { type Summary, summarize } from '../../../harness/statistics/summary.js'
import type { RunFile } from './run-directory.js'
import { writeWhole } from './write-whole.js'

export interface ReadRun {
  directory: string
  file: RunFile
  results: readonly EpisodeResult[]
}

export async function writeReports(run: ReadRun): Promise<Summary> {
  const summary = summaryOf(run)
  const write = (name: string, text: string) => writeWhole(path.join(run.directory, name), text)
  await write('summary.json', `${JSON.stringify(summary, null, 2)}\n`)
  await write('junit.xml', junitReport(run.results))
  await write('report.html', await htmlReport({ runs: [reportedRun(run, summary)] }))
  return summary
}

export function summaryOf({ file, results }: ReadRun): Summary {
  const { tasks, settings } = file
  return summarize({ tasks, trials: settings.trials, results, seed: settings.seed })
}

export function reportedRun(run: ReadRun, summary: Summary): ReportedRun {
  const { file, results, directory } = run
  const { settings } = file
  const facts = {
    agent: settings.model === undefined ? settings.agent : `${settings.agent}, ${settings.model}`,
    suites: settings.suites.join(', '),
    trials: String(settings.trials),
    seed: String(settings.seed),
    begun: file.startedAt,
    version: `polyfs ${file.version}`,
  }
  return { name: path.basename(path.resolve(directory)), facts, summary, results }
}
