import fs from 'node:fs'

/** The most processor time, in milliseconds, that this thread takes from one turn of the event loop to the next while something runs. */
export async function longestStretch(run: () => Promise<unknown>): Promise<number> {
  let [longest, isOver] = [0, false]
  let before = threadMs()
  function turn(): void {
    longest = Math.max(longest, threadMs() - before)
    before = threadMs()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await run()
  isOver = true
  await new Promise((resume) => setImmediate(resume))
  return longest
}

const ofThread = '/proc/thread-self/schedstat'
const isReported = fs.existsSync(ofThread)

/** Where only the process's time is known, the threads count too that compile and collect garbage beside this one. */
function threadMs(): number {
  if (isReported) return Number.parseInt(fs.readFileSync(ofThread, 'utf8'), 10) / 1e6
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
