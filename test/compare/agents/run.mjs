/** `npm run compare -- agents`: whole tasks, as an agent does them with each server. */
import { buildOurs, installOfficial, officialName } from '../servers.mjs'
import { help, readOptions } from './options.mjs'
import { play } from './play.mjs'
import { faults, outcomeTable, totalTable } from './table.mjs'
import { tasks } from './tasks/index.mjs'

/** Runs with the arguments of the command line, and returns the exit code. */
export async function runAgents(argv) {
  const options = readOptions(
    argv,
    tasks.map(({ id }) => id),
  )
  if (typeof options === 'string') {
    console.error(`compare agents: ${options}`)
    return 2
  }
  if (options.help) {
    console.log(help(tasks))
    return 0
  }
  const chosen = tasks.filter(({ id }) => options.tasks.includes(id))
  const starts = servers(options.servers)
  if (options.model === undefined) return playScripts(chosen, starts)
  const { runModel } = await import('./model/run.mjs')
  return runModel({ options, tasks: chosen, starts })
}

/** From the name of a server to what starts it. Without a shell: the other server has none, and a model's commands should not run here. */
function servers(names) {
  const starts = {}
  if (names.includes('polyfs')) {
    const start = buildOurs()
    starts.polyfs = (root) => start(root, '--no-shell')
  }
  if (names.includes('official')) starts.official = installOfficial()
  return starts
}

async function playScripts(chosen, starts) {
  const outcomes = []
  for (const task of chosen) {
    for (const [server, start] of Object.entries(starts)) {
      const outcome = await play({ start, task, script: task.scripts[server] })
      outcomes.push({ task: task.title, server, ...outcome })
      for (const surprise of outcome.surprises) console.error(`${task.id} on ${server}: ${surprise}`)
    }
  }
  if (starts.official) console.log(`official: ${officialName}\n`)
  console.log(`${outcomeTable(outcomes)}\n`)
  console.log(`${totalTable(outcomes)}\n`)
  for (const fault of faults(outcomes)) console.log(fault)
  const isAsPlanned = outcomes.every(
    ({ server, fault, surprises }) => surprises.length === 0 && (server !== 'polyfs' || fault === undefined),
  )
  return isAsPlanned ? 0 : 1
}
