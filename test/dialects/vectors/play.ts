import { matchAnswer } from './match-answer.js'
import { unmetNeed } from './needs.js'
import { fillAll, type Places } from './places.js'
import type { Session, Stage, Vector } from './stage.js'
import { differences, plantCase, snapshot } from './tree.js'
import type { Call } from './types.js'

export type Outcome = { skipped: string } | { faults: string[] }

/** Creates the trees, makes the calls, and compares the answers and everything there afterwards. */
export async function play(vector: Vector, stage: Stage): Promise<Outcome> {
  const { places, raw } = stage
  const skipped = unmetNeed(vector, stage)
  if (skipped !== undefined) return { skipped }
  await plantCase(raw, places, vector)
  const before = await snapshot(raw, places)
  const session = await stage.start()
  const faults: string[] = []
  let made = 0
  for (const step of vector.calls) {
    const calls = [step].flat()
    const found = calls.map((call) => attempt(session, call, ++made, places))
    faults.push(...(await Promise.all(found)).flat())
  }
  return { faults: [...faults, ...differences(before, await snapshot(raw, places), vector.after ?? {}, places)] }
}

async function attempt(session: Session, call: Call, number: number, places: Places): Promise<string[]> {
  const startedMs = performance.now()
  const answer = await send(session, call, places)
  const tookMs = performance.now() - startedMs
  const where = `call ${number}, ${'tool' in call ? call.tool : 'method' in call ? call.method : 'a line'}`
  const { expect = {}, maxMs = Number.POSITIVE_INFINITY } = call
  return [
    ...matchAnswer(expect, answer, { where, places }),
    ...(tookMs > maxMs ? [`${where}: took ${Math.round(tookMs)} ms, more than ${maxMs}`] : []),
  ]
}

function send(session: Session, call: Call, places: Places) {
  if ('tool' in call) {
    return session.request('tools/call', { name: call.tool, arguments: fillAll(call.args ?? {}, places) })
  }
  if ('method' in call) return session.request(call.method, fillAll(call.params, places))
  if (session.sendLine === undefined) throw new Error('this session has no lines')
  return session.sendLine(call.raw, call.rawId ?? null)
}
