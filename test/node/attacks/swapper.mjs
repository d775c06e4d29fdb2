// Swaps links in a directory as fast as it can, or with a pause, until it is killed, orphaned or out of time.
// Arguments: how, directory, outside, pause in ms, time in ms, file for the count.
import fs from 'node:fs'
import process from 'node:process'

const [how, directory, outside, pauseMs, timeMs, countFile] = process.argv.slice(2)
const parent = process.ppid
const deadline = Date.now() + Number(timeMs)
const sleeper = new Int32Array(new SharedArrayBuffer(4))
const count = fs.openSync(countFile, 'w')

process.chdir(directory)
const swap = how === 'links' ? swapLinks : swapDirectoryAndLink

for (let swaps = 0; ; swaps += 2) {
  swap()
  if (Number(pauseMs) === 0 && swaps % 100 !== 0) continue
  fs.writeSync(count, String(swaps + 2), 0)
  if (process.ppid !== parent || Date.now() > deadline) break
}

/** `swap` and `swap.txt` are always links: now to the inside, now to the outside. */
function swapLinks() {
  for (const target of [outside, 'inside']) {
    fs.symlinkSync(target, 'next')
    fs.symlinkSync(`${target}/file.txt`, 'next.txt')
    fs.renameSync('next', 'swap')
    fs.renameSync('next.txt', 'swap.txt')
    pause()
  }
}

/** `swap` is a directory and `swap.txt` a file, except for the moments when both are links to the outside. */
function swapDirectoryAndLink() {
  fs.renameSync('swap', 'parked')
  fs.renameSync('link', 'swap')
  fs.renameSync('swap.txt', 'parked.txt')
  fs.renameSync('link.txt', 'swap.txt')
  pause()
  fs.renameSync('swap', 'link')
  fs.renameSync('parked', 'swap')
  fs.renameSync('swap.txt', 'link.txt')
  fs.renameSync('parked.txt', 'swap.txt')
  pause()
}

function pause() {
  // Never of the same length, or calls could fall into step with the swaps.
  if (Number(pauseMs) > 0) Atomics.wait(sleeper, 0, 0, Number(pauseMs) * (0.5 + Math.random()))
}
