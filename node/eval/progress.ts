/** Shows how far a run is: one line that changes on a terminal, lines for what matters elsewhere. */
import { performance } from 'node:perf_hooks'
import type { EpisodeResult, Outcome } from '../../harness/run-types.js'
import { printable } from '../../src/text/printable.js'
import { statusLine } from '../terminal/status-line.js'

export interface Progress {
  show(result: EpisodeResult): void
  /** A line of its own. */
  say(line: string): void
  end(): void
}

export interface ProgressOptions {
  /** All episodes, those that are done already too. */
  total: number
  done: number
  /** The columns of the terminal; without, plain lines are written. */
  columns?: number | undefined
  write(text: string): void
}

export function showProgress({ total, done: before, columns, write }: ProgressOptions): Progress {
  const counts = new Map<Outcome, number>()
  const began = performance.now()
  const status = statusLine({ columns, write })
  let done = 0
  // The first result may take long.
  if (before < total) status.draw(line())

  function line(): string {
    const outcomes = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ')
    const leftMs = ((performance.now() - began) / done) * (total - before - done)
    const left = done === 0 || done + before === total ? '' : `, ${duration(leftMs)} left`
    return `${before + done}/${total}  ${outcomes || 'running'}${left}`
  }

  return {
    show(result) {
      done += 1
      counts.set(result.outcome, (counts.get(result.outcome) ?? 0) + 1)
      if (columns === undefined) write(`${before + done}/${total}  ${described(result)}\n`)
      else if (done + before === total) status.draw(line())
      else status.show(line())
    },
    say(text) {
      status.erase()
      write(`${text}\n`)
      if (before < total) status.draw(line())
    },
    end: status.erase,
  }
}

function described({ task, trial, outcome, value, reason, attempts }: EpisodeResult): string {
  const score = value === undefined || outcome === 'passed' ? '' : ` ${value.toFixed(2)}`
  const again = attempts > 1 ? ` after ${attempts} attempts` : ''
  const why = reason === undefined ? '' : `: ${printable(reason.split('\n', 1)[0] ?? '')}`
  return `${printable(task)} #${trial}  ${outcome}${score}${again}${why}`
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
