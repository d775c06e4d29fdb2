/** Durations such as `1.5` or `2m`, and waiting. */
import type { ProgramIo } from '../../io/program.js'

const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86400 }

/** Milliseconds. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+|inf|infinity)([smhd]?)$/i.exec(text) ?? []
  if (number === undefined) return undefined
  const value = /^inf/i.test(number) ? Number.POSITIVE_INFINITY : Number(number)
  return value * (units[unit] as number) * 1000
}

const slice = 20

/** Waits on the real clock in small slices, so that a command that has to stop does. */
export async function waitFor(io: ProgramIo, milliseconds: number): Promise<void> {
  const { clock } = io
  if (clock.isVirtual) {
    await clock.timer(milliseconds).due
    io.step()
    return
  }
  const end = clock.elapsed() + milliseconds
  for (let left = milliseconds; left > 0; left = end - clock.elapsed()) {
    await clock.timer(Math.min(slice, left)).due
    io.step()
  }
}
