/** The most processor time, in milliseconds, that passes from one turn of the event loop to the next while something runs. */
export async function longestStretch(run: () => Promise<unknown>): Promise<number> {
  let [longest, isOver] = [0, false]
  let before = process.cpuUsage()
  function turn(): void {
    const { user, system } = process.cpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.cpuUsage()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await run()
  isOver = true
  await new Promise((resume) => setImmediate(resume))
  return longest
}
