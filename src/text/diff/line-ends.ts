/** Lines as diffs count them: they end with LF. */

/** The start of the line `count` lines before the one that starts at `at`. */
export function linesBack(text: string, at: number, count: number): number {
  let start = at
  for (let done = 0; done < count && start > 0; done += 1) start = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1
  return start
}

/** Just after the `count`-th LF from `at` on, or the end. */
export function linesOn(text: string, at: number, count: number): number {
  let end = at
  for (let done = 0; done < count && end < text.length; done += 1) {
    const lf = text.indexOf('\n', end)
    end = lf === -1 ? text.length : lf + 1
  }
  return end
}

/** The number of LFs from `start` to before `end`. */
export function countLf(text: string, start: number, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
